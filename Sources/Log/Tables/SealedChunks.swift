import RepriseObjectModel

/// Chunks of a blob in the form of their rows, in sequence. The thread that has the bytes seals them, so the writer
/// only needs to store them.
package struct SealedChunks: Sendable {
  /// All but the last have so many bytes.
  private static let rowSize = BlobTable.chunkSize + Checksum.size

  package let first: Int
  private let bytes: [UInt8]

  package init(_ blob: UnsafeRawBufferPointer, from first: Int) {
    self.first = first
    let count = (blob.count + BlobTable.chunkSize - 1) / BlobTable.chunkSize
    let size = blob.count + count * Checksum.size
    bytes = [UInt8](unsafeUninitializedCapacity: size) { rows, filled in
      let rows = UnsafeMutableRawBufferPointer(rows)
      for chunk in 0..<count {
        let start = chunk * BlobTable.chunkSize
        let piece = UnsafeRawBufferPointer(rebasing: blob[start..<min(start + BlobTable.chunkSize, blob.count)])
        let row = UnsafeMutableRawBufferPointer(rebasing: rows[(chunk * Self.rowSize)...])
        row.storeBytes(of: Checksum.crc32c(piece).littleEndian, as: UInt32.self)
        UnsafeMutableRawBufferPointer(rebasing: row[Checksum.size...]).copyMemory(from: piece)
      }
      filled = size
    }
  }

  package var count: Int { (bytes.count + Self.rowSize - 1) / Self.rowSize }

  /// The row of a chunk, counted from the first of these.
  @_lifetime(borrow self)
  func row(_ chunk: Int) -> RawSpan {
    let start = chunk * Self.rowSize
    return bytes.span.bytes.extracting(start..<min(start + Self.rowSize, bytes.count))
  }
}
