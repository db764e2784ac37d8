/// Rows of a search index, which has one for each different word of each text: the order key of the word, then the
/// object's UUID. A range contains the rows of one word, or of all words with a prefix.
package struct WordRange: Hashable, Sendable {
  package let word: [UInt8]
  package let isPrefix: Bool

  package init(_ word: [UInt8], isPrefix: Bool = false) {
    self.word = word
    self.isPrefix = isPrefix
  }

  /// The rows of the range. Rows of one word are in the order of their objects. Rows of several words are not, and may
  /// contain an object more than once.
  package var keys: KeyRange {
    var lower: [UInt8] = []
    if isPrefix {
      lower.append(OrderKey.Tag.string.rawValue)
      lower += word
    } else {
      WordRange.appendKey(word, to: &lower)
    }
    return KeyRange(beginningWith: lower)
  }

  /// These ranges, each once, without a range that contains another one: a text with a word also has all its prefixes.
  package static func needed(_ ranges: [WordRange]) -> [WordRange] {
    let sorted = ranges.sorted {
      $0.word == $1.word ? $0.isPrefix && !$1.isPrefix : $0.word.lexicographicallyPrecedes($1.word)
    }
    // A range that is inside another one follows that one directly.
    let needed = sorted.indices.filter { $0 + 1 == sorted.count || !sorted[$0].contains(sorted[$0 + 1]) }
    return needed.map { sorted[$0] }
  }

  /// Whether this range contains all rows of `other`.
  private func contains(_ other: WordRange) -> Bool {
    isPrefix ? other.word.starts(with: word) : self == other
  }

  /// Appends the order key of a word: the order key of its text, which needs no composing and no escapes, and is never
  /// cut.
  package static func appendKey(_ word: some Collection<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(OrderKey.Tag.string.rawValue)
    bytes.append(contentsOf: word)
    bytes.append(0)
    bytes.append(0)
  }
}

extension Entity {
  /// The slot of the search index over an attribute. `nil` if there is none.
  package func searchIndex(over slot: Int) -> Int? {
    indexes.first { $0.kind == .words && $0.columns == [slot] }?.slot
  }
}
