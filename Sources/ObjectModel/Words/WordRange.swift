/// Rows of a search index, which has one for each different word of each text: the order key of the word, then the
/// object's UUID. Those of one word, or of all words that begin with it.
package struct WordRange: Hashable, Sendable {
  package let word: [UInt8]
  package let isPrefix: Bool

  package init(_ word: [UInt8], isPrefix: Bool = false) {
    self.word = word
    self.isPrefix = isPrefix
  }

  /// The rows. Those of one word are in the order of their objects, those of several words are not, and may name an
  /// object more than once.
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

  /// These ranges, each once, without those that another one lies in: who has a word has all its beginnings.
  package static func needed(_ ranges: [WordRange]) -> [WordRange] {
    let sorted = ranges.sorted {
      $0.word == $1.word ? $0.isPrefix && !$1.isPrefix : $0.word.lexicographicallyPrecedes($1.word)
    }
    // What lies in a range follows it at once.
    let needed = sorted.indices.filter { $0 + 1 == sorted.count || !sorted[$0].contains(sorted[$0 + 1]) }
    return needed.map { sorted[$0] }
  }

  /// Whether each row of another range is one of this.
  private func contains(_ other: WordRange) -> Bool {
    isPrefix ? other.word.starts(with: word) : self == other
  }

  /// Appends the order key of a word: that of the text, which needs no composing and no escapes, and is never cut.
  package static func appendKey(_ word: some Collection<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(OrderKey.Tag.string.rawValue)
    bytes.append(contentsOf: word)
    bytes.append(0)
    bytes.append(0)
  }
}

extension Entity {
  /// The slot of the search index over an attribute; `nil` if there is none.
  package func searchIndex(over slot: Int) -> Int? {
    indexes.first { $0.kind == .words && $0.columns == [slot] }?.slot
  }
}
