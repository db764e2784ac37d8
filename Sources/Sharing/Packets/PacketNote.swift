import RepriseJournal
import RepriseObjectModel

/// The part of a packet that only the store that made it reads: the drafts whose edits are in the packet.
struct PacketNote {
  private(set) var drafts: [ConsumedDraft] = []

  init(_ drafts: [ConsumedDraft]) { self.drafts = drafts }

  init(_ bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = ByteReader(bytes)
    if bytes.isEmpty { return }
    for _ in 0..<(try reader.count(of: 3, "the number of drafts")) {
      let name = try reader.string("the name of a draft")
      let generation = try reader.varint("a generation")
      var journals: [UniqueID] = []
      for _ in 0..<(try reader.count(of: 16, "the number of journals")) {
        journals.append(try reader.uuid("the ID of a journal"))
      }
      drafts.append(ConsumedDraft(.draft(name), upTo: generation, in: journals))
    }
    try reader.expectEnd("the end of a note")
  }

  func encoded() -> [UInt8] {
    if drafts.isEmpty { return [] }
    var writer = ByteWriter(reserving: 64 * drafts.count)
    writer.varint(drafts.count)
    for draft in drafts {
      writer.string(draft.draft.name)
      writer.varint(draft.generation)
      writer.varint(draft.journals.count)
      for journal in draft.journals { writer.uuid(journal) }
    }
    return writer.bytes
  }
}
