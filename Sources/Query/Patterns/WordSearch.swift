import RepriseObjectModel

/// The words that a search looks for in a text, and their ranges in a search index.
struct WordSearch: Hashable, Sendable {
  enum Term: Hashable, Sendable {
    case word([UInt8])
    case prefix([UInt8])
    /// Characters of a script without spaces, next to each other.
    case characters([[UInt8]])
  }

  /// The terms, each once. A search without terms is empty.
  let terms: [Term]
  /// Whether one matching term is enough.
  let isAny: Bool

  /// `nil` if the test does not compare words.
  init?(_ test: TextTest, _ text: String) {
    switch test {
    case .allWords, .anyWord, .allPrefixes, .whileTyping: break
    case .hasPrefix, .hasSuffix, .contains, .equals, .like, .matches: return nil
    }
    var terms: [Term] = []
    var characters: [[UInt8]] = []
    func endCharacters() {
      if !characters.isEmpty { terms.append(.characters(characters)) }
      characters = []
    }
    SearchWords.forEach(in: text) { word in
      let bytes = [UInt8](word.bytes)
      if !word.isAdjacent { endCharacters() }
      if word.isCharacter {
        characters.append(bytes)
      } else {
        terms.append(test == .allPrefixes ? .prefix(bytes) : .word(bytes))
      }
      return true
    }
    endCharacters()
    if test == .whileTyping, case .word(let last)? = terms.last { terms[terms.count - 1] = .prefix(last) }
    var known: Set<Term> = []
    self.terms = terms.filter { known.insert($0).inserted }
    isAny = test == .anyWord
  }

  /// O(length of the text × terms).
  func matches(_ text: String) -> Bool {
    var open = terms.map { OpenTerm($0) }
    SearchWords.forEach(in: text) { word in
      for place in open.indices.reversed() where open[place].isFound(with: word) { open.remove(at: place) }
      return isAny ? open.count == terms.count : !open.isEmpty
    }
    return isAny ? open.count < terms.count : open.isEmpty
  }

  /// The ranges of a search index for a term. A text with the term has rows in each range. Also returns whether every
  /// text with rows in all of them has the term.
  static func ranges(of term: Term) -> (ranges: [WordRange], isExact: Bool) {
    switch term {
    case .word(let word): ([WordRange(word)], true)
    case .prefix(let word): ([WordRange(word, isPrefix: true)], true)
    case .characters(let characters): (Set(characters).map { WordRange($0) }, characters.count == 1)
    }
  }

  /// A term that was not found yet.
  private struct OpenTerm {
    private let term: Term
    /// For each possible match, the number of characters of the term at the end of the text so far.
    private var begun: [Int] = []

    init(_ term: Term) { self.term = term }

    mutating func isFound(with word: SearchWords.Word) -> Bool {
      switch term {
      case .word(let wanted): return word.bytes.elementsEqual(wanted)
      case .prefix(let wanted): return word.bytes.starts(with: wanted)
      case .characters(let wanted):
        begun = ((word.isAdjacent ? begun : []) + [0])
          .filter { word.bytes.elementsEqual(wanted[$0]) }
          .map { $0 + 1 }
        guard begun.first == wanted.count else { return false }
        return true
      }
    }
  }
}
