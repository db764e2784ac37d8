import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The part of a packet that only the store that made it reads: the drafts whose edits are in the packet.
struct PacketNote {
  /// The journals that may have the edits.
  private var journals: [UniqueID] = []
  private var drafts: [(name: String, generation: UInt64)] = []

  init(_ drafts: [(name: String, generation: UInt64)], _ journals: [UniqueID]) {
    self.drafts = drafts
    self.journals = journals
  }

  init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    if bytes.isEmpty { return }
    var reader = ByteReader(bytes)
    for _ in 0..<(try reader.count(of: 16, "the number of journals")) {
      journals.append(try reader.uuid("the ID of a journal"))
    }
    for _ in 0..<(try reader.count(of: 2, "the number of drafts")) {
      drafts.append((try reader.string("the name of a draft"), try reader.varint("a generation")))
    }
    try reader.expectEnd("the end of a note")
  }

  func encoded() -> [UInt8] {
    if drafts.isEmpty { return [] }
    var writer = ByteWriter(reserving: 64)
    writer.varint(journals.count)
    for journal in journals { writer.uuid(journal) }
    writer.varint(drafts.count)
    for draft in drafts {
      writer.string(draft.name)
      writer.varint(draft.generation)
    }
    return writer.bytes
  }

  /// Ends the drafts, as a save does.
  func write(_ tables: StoreTables, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    for draft in drafts {
      try Journal.consume(.draft(draft.name), upTo: draft.generation, in: journals, tables, transaction)
    }
  }
}
