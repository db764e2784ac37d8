import RepriseObjectModel

/// The flags of an entry that records an edit.
struct EditFlags: OptionSet, Sendable {
  let rawValue: UInt8

  static let startsGroup = EditFlags(rawValue: 1)
  static let hasName = EditFlags(rawValue: 2)
  static let isReversal = EditFlags(rawValue: 4)
}

/// The beginning of an entry that records an edit; behind it stands the step.
struct EditHead {
  var generation: UInt64
  var startsGroup: Bool
  var name: String?
  var reversal: Reversal?
}

extension ByteWriter {
  mutating func editHead(_ head: EditHead) {
    varint(head.generation)
    var flags: EditFlags = []
    if head.startsGroup { flags.insert(.startsGroup) }
    if head.name != nil { flags.insert(.hasName) }
    if head.reversal != nil { flags.insert(.isReversal) }
    append(flags.rawValue)
    if let name = head.name { string(name) }
    if let reversal = head.reversal { self.reversal(reversal) }
  }
}

extension ByteReader {
  mutating func editHead() throws(MalformedBytes) -> EditHead {
    let generation = try varint("a generation")
    let flags = EditFlags(rawValue: try byte("an edit's flags"))
    return EditHead(
      generation: generation, startsGroup: flags.contains(.startsGroup),
      name: flags.contains(.hasName) ? try string("a group's name") : nil,
      reversal: flags.contains(.isReversal) ? try reversal() : nil)
  }
}
