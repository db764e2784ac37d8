import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The row with a draft's identity, and the summary of its other rows.
package struct DraftHeaderRow: Sendable {
  package var header: DraftHeader
  /// Whether a header was read from a journal. Otherwise only the ID is known.
  package var isKnown: Bool
  package var generation: UInt64
  /// By journal: the last frame that the rows include.
  package var checkpointed: [UniqueID: UInt64]
  /// In microseconds since 1970. 0 if it is not known.
  package var changedAt: UInt64
  package var summary = DraftSummary()

  package init(
    header: DraftHeader, isKnown: Bool, generation: UInt64, checkpointed: [UniqueID: UInt64], changedAt: UInt64,
    summary: DraftSummary = DraftSummary()
  ) {
    self.header = header
    self.isKnown = isKnown
    self.generation = generation
    self.checkpointed = checkpointed
    self.changedAt = changedAt
    self.summary = summary
  }
}

extension DraftHeaderRow {
  /// The row of a draft. `nil` if there is none, or if it is damaged.
  init?(_ draft: JournalTopic, _ view: View, _ table: Table) throws(StorageError) {
    let rows = try JournalRow.read(view, table, prefix: DraftRowKind.header.prefix(draft.hash), atMost: 1)
    guard let row = rows.first, let found = try? DraftHeaderRow(row.value), found.header.id == draft.name else {
      return nil
    }
    self = found
  }

  package init(_ value: [UInt8]) throws(MalformedBytes) {
    self = try value.lend { (bytes) throws(MalformedBytes) in
      var reader = try ByteReader(sealed: bytes)
      let id = try reader.string("a draft's ID")
      let isKnown = try reader.byte() == 1
      let (header, generation) = try reader.draftHeader(id)
      var checkpointed: [UniqueID: UInt64] = [:]
      for _ in 0..<(try reader.count(of: 17)) {
        let journal = try reader.uuid("a journal's UUID")
        checkpointed[journal] = try reader.varint("a frame's number")
      }
      let changedAt = try reader.varint("a time")
      let summary = try DraftSummary(&reader)
      try reader.expectEnd("the end of a draft's header")
      return DraftHeaderRow(
        header: header, isKnown: isKnown, generation: generation, checkpointed: checkpointed, changedAt: changedAt,
        summary: summary)
    }
  }

  /// The ID in a damaged header, verified by the hash of it in the row's key. `nil` if the ID cannot be read either.
  /// One flipped bit of the ID itself is found by trying each bit.
  package static func provenID(_ row: JournalRow) -> String? {
    let hash = Array(row.key.dropFirst().prefix(16))
    var value = Array(row.value.dropFirst(Checksum.size))
    func id() -> String? {
      let id = try? value.lend { (bytes) throws(MalformedBytes) in
        var reader = ByteReader(bytes)
        return try reader.string("a draft's ID")
      }
      return id.flatMap { JournalRow.hash($0) == hash ? $0 : nil }
    }
    if let id = id() { return id }
    for place in value.indices.prefix(longestID + 2) {
      for bit in 0..<8 {
        value[place] ^= 1 << UInt8(bit)
        if let id = id() { return id }
        value[place] ^= 1 << UInt8(bit)
      }
    }
    return nil
  }

  private static let longestID = 4_096

  /// - Parameter hash: The hash of the ID.
  package func row(_ hash: [UInt8]) -> JournalRow {
    var writer = ByteWriter.sealing(reserving: 64)
    writer.string(header.id)
    writer.append(isKnown ? 1 : 0)
    writer.draftHeader(header, generation: generation)
    writer.varint(checkpointed.count)
    for (journal, number) in checkpointed.heapSorted(by: { $0.key < $1.key }) {
      writer.uuid(journal)
      writer.varint(number)
    }
    writer.varint(changedAt)
    writer.draftSummary(summary)
    return JournalRow(key: DraftRowKind.header.prefix(hash), value: writer.sealed())
  }
}
