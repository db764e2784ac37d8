/// How concurrent changes of an attribute merge. Without a rule they conflict, unless both set the same value and it is
/// not a number.
public enum MergeRule: UInt8, Hashable, Sendable, CaseIterable {
  /// Both additions count: for integers and floating-point numbers. Until it saves, a context shows its base plus its
  /// own additions. A sum that the attribute cannot hold is a conflict, and so is a number that one side set to `nil`.
  case counter = 1
  /// Both insertions and removals count: for attributes of type `Set`, and for integers as sets of bits, as option sets
  /// are stored.
  case set = 2
  /// The last save wins. Never a conflict.
  case lastWriter = 3
  /// Both edits of a text count where they are of different words; where both changed the same word, or inserted at the
  /// same place, they conflict. For texts that people write. Costs the length of the text, in the commit.
  case text = 4
}

extension MergeRule {
  /// Whether attributes of a type can have this rule.
  func isFor<Value: AttributeValue>(_ type: Value.Type) -> Bool {
    switch (self, type.attributeKind) {
    case (.lastWriter, _), (.text, .string): true
    case (.counter, .int), (.counter, .unsigned), (.counter, .double): true
    case (.set, .int), (.set, .unsigned): true
    case (.set, .bytes): Value.Unwrapped.self is any SetValue.Type
    default: false
    }
  }

  /// The result of both changes; `nil` if they conflict all the same.
  func merged(base: PropertyValue, mine: PropertyValue, theirs: PropertyValue) -> PropertyValue? {
    if mine.isIdentical(to: theirs) && (self == .lastWriter || mine.isNull) { return mine }
    switch self {
    case .lastWriter: return mine
    case .counter: return Self.sum(base, mine, theirs)
    case .set: return Self.union(base, mine, theirs)
    case .text:
      guard case (.string(let base), .string(let mine), .string(let theirs)) = (base, mine, theirs) else { return nil }
      return TextMerge.merged(base: base, mine: mine, theirs: theirs).map(PropertyValue.string)
    }
  }

  private static func sum(_ base: PropertyValue, _ mine: PropertyValue, _ theirs: PropertyValue) -> PropertyValue? {
    switch (base, mine, theirs) {
    case (.int(let base), .int(let mine), .int(let theirs)):
      Int64(exactly: Int128(theirs) + Int128(mine) - Int128(base)).map(PropertyValue.int)
    case (.null, .int, .int): sum(.int(0), mine, theirs)
    case (.unsigned(let base), .unsigned(let mine), .unsigned(let theirs)):
      UInt64(exactly: Int128(theirs) + Int128(mine) - Int128(base)).map(PropertyValue.unsigned)
    case (.null, .unsigned, .unsigned): sum(.unsigned(0), mine, theirs)
    case (.double(let base), .double(let mine), .double(let theirs)):
      (theirs + (mine - base)).isFinite ? .double(theirs + (mine - base)) : nil
    case (.null, .double, .double): sum(.double(0), mine, theirs)
    default: nil
    }
  }

  private static func union(_ base: PropertyValue, _ mine: PropertyValue, _ theirs: PropertyValue) -> PropertyValue? {
    switch (base, mine, theirs) {
    case (.int(let base), .int(let mine), .int(let theirs)): .int(theirs & ~(base & ~mine) | mine & ~base)
    case (.null, .int, .int): union(.int(0), mine, theirs)
    case (.unsigned(let base), .unsigned(let mine), .unsigned(let theirs)):
      .unsigned(theirs & ~(base & ~mine) | mine & ~base)
    case (.null, .unsigned, .unsigned): union(.unsigned(0), mine, theirs)
    case (.bytes(let base), .bytes(let mine), .bytes(let theirs)):
      SetBytes.merged(base: base, mine: mine, theirs: theirs).map(PropertyValue.bytes)
    case (.null, .bytes, .bytes): union(.bytes([]), mine, theirs)
    default: nil
    }
  }
}
