import RepriseCore

/// Stores the blobs of a file, with one piece in memory at a time.
@MainActor
enum BlobImport {
  static func run(_ reader: any ImportReader, into store: Store) async throws {
    var first = try nextPiece(reader)
    while let piece = first {
      if piece.offset != 0 { throw ImportError.damagedBlob(piece.place, piece.name) }
      let pieces = Pieces(piece, reader)
      let stored = try await Blob(chunks: pieces, in: store)
      if stored != piece.blob { throw ImportError.damagedBlob(piece.place, piece.name) }
      first = pieces.state.next
    }
  }

  fileprivate nonisolated static func nextPiece(_ reader: any ImportReader) throws -> BlobPiece? {
    while let part = try reader.next() {
      try Task.checkCancellation()
      if case .piece(let piece) = part { return piece }
    }
    return nil
  }

  /// The bytes of one blob.
  private struct Pieces: AsyncSequence {
    /// The reading, which goes on with the next blob.
    final class State {
      var next: BlobPiece?
      let blob: Blob
      var offset = 0
      let reader: any ImportReader

      init(_ first: BlobPiece, _ reader: any ImportReader) {
        (next, blob, self.reader) = (first, first.blob, reader)
      }
    }

    let state: State

    nonisolated init(_ first: BlobPiece, _ reader: any ImportReader) { state = State(first, reader) }

    nonisolated func makeAsyncIterator() -> Iterator { Iterator(state: state) }

    struct Iterator: AsyncIteratorProtocol {
      let state: State

      mutating func next() async throws -> [UInt8]? {
        guard let piece = state.next, piece.blob == state.blob, state.offset < state.blob.byteCount else { return nil }
        guard piece.offset == state.offset else { throw ImportError.damagedBlob(piece.place, piece.name) }
        state.offset += piece.bytes.count
        state.next = try BlobImport.nextPiece(state.reader)
        return piece.bytes
      }
    }
  }
}
