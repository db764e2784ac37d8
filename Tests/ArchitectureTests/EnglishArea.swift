/// The prose of the checkout, in areas that each have a row of `EnglishBudgets`.
struct EnglishArea {
  let name: String
  let paragraphs: [Paragraph]

  static func all() throws -> [EnglishArea] {
    let sources = try Checkout.files(under: "Sources")
    let comments = sources.map { (module: $0.folder, found: Prose.paragraphs(ofComments: $0)) }
    let modules = Dictionary(grouping: comments, by: \.module).mapValues { $0.flatMap(\.found.public) }
    return try documents()
      + modules.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }.map {
        EnglishArea(name: $0.key, paragraphs: $0.value)
      }
      + [
        EnglishArea(name: "comments", paragraphs: comments.flatMap(\.found.internal)),
        EnglishArea(name: "messages", paragraphs: sources.flatMap(Prose.paragraphs(ofMessages:))),
      ]
  }

  private static func documents() throws -> [EnglishArea] {
    let docs = try Checkout.files(under: "Docs", suffixes: [".md"])
    let areas = Dictionary(grouping: docs) { file in
      let parts = file.path.split(separator: "/")
      return parts.count > 2 ? String(parts[1]) : file.name == "FileFormat.md" ? "FileFormat" : "Docs"
    }
    return try [
      ("README", Checkout.rootFiles().filter { $0.name.hasSuffix(".md") }),
      ("manual", Checkout.files(under: "Sources/Reprise/Reprise.docc", suffixes: [".md"])),
      ("Docs", areas["Docs"] ?? []), ("FileFormat", areas["FileFormat"] ?? []), ("Decisions", areas["Decisions"] ?? []),
    ].map { EnglishArea(name: $0.0, paragraphs: $0.1.flatMap(Prose.paragraphs(ofDocument:))) }
  }

  /// Every mark with its sentence.
  var marks: [(mark: PlainEnglish, path: String, sentence: Sentence)] {
    paragraphs.flatMap { paragraph in
      paragraph.sentences.flatMap { sentence in
        PlainEnglish.marks(in: sentence).filter { $0 != .tests || !paragraph.isReference }
          .map { ($0, paragraph.path, sentence) }
      }
    }
  }

  var counts: EnglishBudgets.Counts {
    let none = Dictionary(uniqueKeysWithValues: PlainEnglish.allCases.map { ($0, 0) })
    return marks.reduce(into: none) { $0[$1.mark, default: 0] += 1 }
  }
}
