/// The rule for merging concurrent changes of an attribute.
///
/// Without a rule, concurrent changes conflict, unless both sides assign the same value. Equal assignments of a number
/// also conflict, because both may be additions.
public enum MergeRule: UInt8, Equatable, Sendable, CaseIterable {
  /// Adds up both changes of an integer or floating-point number.
  ///
  /// Until it saves, a context shows its base value plus its own additions. There is a conflict if the attribute cannot
  /// hold the sum, or if one side sets the number to `nil`.
  case counter = 1
  /// Combines the insertions and removals of both changes.
  ///
  /// The rule applies to attributes of type `Set` and to option sets. An option set is stored as an integer, and merges
  /// as a set of bits.
  case set = 2
  /// Keeps the value of the last save. There is never a conflict.
  case lastWriter = 3
  /// Combines both edits of a text if they change different words.
  ///
  /// Use it for texts that people write. There is a conflict if both edits change the same word, or insert text at the
  /// same place. Merging takes time in proportion to the length of the text, within the commit.
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

  /// The result of both changes. `nil` if they conflict despite the rule.
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
