/// The rules of Docs/Writing.md that can be counted. A mark is a place to look, not a verdict.
enum PlainEnglish: String, CaseIterable {
  case what, those, which, others, coined, tells, own, negated, passive, long, semicolons, tests

  /// A sentence of more words is long.
  static let mostWords = 25

  /// The marks of a sentence, one for each place.
  static func marks(in sentence: Sentence) -> [PlainEnglish] {
    var found: [PlainEnglish] = []
    for (index, token) in sentence.tokens.enumerated() {
      for (rest, mark) in phrases[token] ?? [] where sentence.tokens[(index + 1)...].starts(with: rest) {
        found.append(mark)
      }
    }
    if sentence.isQuestion { found.removeAll { $0 == .what } }
    if sentence.words > mostWords { found.append(.long) }
    for clause in sentence.clauses {
      if clause.count(where: isNegation) > 1 { found.append(.negated) }
      for (auxiliary, participle) in zip(clause, clause.dropFirst())
      where forms.contains(auxiliary) && participles.contains(participle) && !clause.contains("by") {
        found.append(.passive)
      }
    }
    return found
  }

  /// By their first word.
  private static let phrases: [String: [(rest: [String], mark: PlainEnglish)]] = {
    let prepositions = ["of", "in", "from", "by", "with", "to", "at", "on", "for"]
    let table: [PlainEnglish: [String]] = [
      .what: ["what", "whatever", "whoever", "whichever", "whomever"],
      .those: ["that of", "that which", "those of", "those that", "those which", "those who"],
      .which: prepositions.flatMap { [$0 + " which", $0 + " whom", $0 + " whose"] },
      .others: ["others", "another's"],
      .coined: [
        "anew", "besides", "thereof", "therein", "hitherto", "whither", "mend", "mends", "mended", "by then", "as of",
        "come to", "comes to", "stand as", "stands as", "stand in", "stands in", "stand behind", "stands behind",
        "stand twice", "stands twice", "is to be", "are to be", "was to be", "were to be",
      ],
      .tells: ["tells", "told", "says", "said"],
      .own: ["of its own", "of their own"],
      .semicolons: [";"],
      .tests: [Sentence.test],
    ]
    var phrases: [String: [(rest: [String], mark: PlainEnglish)]] = [:]
    for (mark, texts) in table {
      for words in texts.map({ $0.split(separator: " ").map(String.init) }) {
        phrases[words[0], default: []].append((Array(words.dropFirst()), mark))
      }
    }
    return phrases
  }()

  private static func isNegation(_ word: String) -> Bool { negations.contains(word) || word.hasSuffix("n't") }

  private static let negations: Set = [
    "not", "no", "never", "none", "nothing", "nobody", "cannot", "without", "unless", "neither",
  ]

  private static let forms: Set = ["is", "are", "was", "were", "be", "been", "being"]

  /// Verbs whose passive hides which call does it, and to whom.
  private static let participles: Set = [
    "refused", "dropped", "taken", "told", "asked", "wanted", "given", "let", "kept",
  ]
}
