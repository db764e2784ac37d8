import RepriseObjectModel

/// The header of an undo group's steps, and of each edit in a journal.
struct GroupHead {
  let startsGroup: Bool
  /// UTF-8, lent.
  let name: UnsafeRawBufferPointer?
  let reversal: Reversal?

  private struct Flags: OptionSet {
    let rawValue: UInt8

    static let startsGroup = Flags(rawValue: 1)
    static let hasName = Flags(rawValue: 2)
    static let isReversal = Flags(rawValue: 4)
  }

  init(_ reader: inout ByteReader) throws(MalformedBytes) {
    let flags = Flags(rawValue: try reader.byte("a group's flags"))
    startsGroup = flags.contains(.startsGroup)
    name = flags.contains(.hasName) ? try reader.text("a group's name") : nil
    reversal = flags.contains(.isReversal) ? try reader.reversal() : nil
  }

  var nameText: String? { name.map { String(decoding: $0, as: UTF8.self) } }

  static func flags(startsGroup: Bool, _ name: String?, _ reversal: Reversal?) -> UInt8 {
    var flags: Flags = startsGroup ? .startsGroup : []
    if name != nil { flags.insert(.hasName) }
    if reversal != nil { flags.insert(.isReversal) }
    return flags.rawValue
  }
}

extension ByteWriter {
  mutating func groupHead(startsGroup: Bool, name: String?, reversal: Reversal?) {
    append(GroupHead.flags(startsGroup: startsGroup, name, reversal))
    if let name { string(name) }
    if let reversal { self.reversal(reversal) }
  }
}
