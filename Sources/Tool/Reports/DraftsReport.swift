import RepriseCore

/// The unsaved edits that a store keeps.
package struct DraftsReport {
  package let drafts: [DraftText]

  /// Journals that cannot be read, as sentences.
  private let problems: [String]

  package init(_ store: Store) throws {
    drafts = try store.drafts.all().map { DraftText($0, of: store) }
    problems = store.drafts.journalProblems.map(CommandWords.text)
  }

  /// The draft with an ID.
  package func draft(_ id: String) throws(ToolError) -> DraftText {
    guard let draft = drafts.first(where: { $0.id == id }) else { throw .noDraft(id, known: drafts.map(\.id)) }
    return draft
  }

  /// All edits of a draft.
  package static func export(_ id: String, of store: Store) throws -> DraftExport {
    try DraftExport(info(id, of: store), of: store)
  }

  /// The draft with an ID, as the store lists it.
  package static func info(_ id: String, of store: Store) throws -> DraftInfo {
    let drafts = try store.drafts.all()
    guard let draft = drafts.first(where: { $0.id == id }) else { throw ToolError.noDraft(id, known: drafts.map(\.id)) }
    return draft
  }

  package func write(to output: Output) throws {
    if output.isJSON {
      try drafts.forEach(output.json)
      return try problems.forEach { try output.json(["problem": $0]) }
    }
    defer { for problem in problems { try? output.line(PlainText.line(problem)) } }
    if drafts.isEmpty { return try output.line("The store has no drafts.") }
    var table = Table([
      ("draft", .left), ("author", .left), ("time", .left), ("base", .right), ("objects", .right), ("size", .right),
      ("steps", .right), ("in use", .left),
    ])
    for draft in drafts {
      table.add([
        draft.id, draft.author ?? "", draft.time ?? "", "@\(draft.base)",
        draft.unreadable == nil ? "\(draft.objects.count)" : "unreadable", ValueText.bytes(draft.bytes),
        "\(draft.steps)", draft.isInUse ? "yes" : "no",
      ])
    }
    try output.lines(table)
  }
}

/// A draft, and the changes of its first objects.
package struct DraftText: Encodable {
  package let id: String
  /// The draft of the parent context.
  package let parent: String?
  package let author: String?
  /// The time of the last edit.
  package let time: String?
  /// The position that the edits are based on.
  package let base: UInt64
  package let objects: [String]
  package let bytes: Int
  /// The number of undo steps.
  package let steps: Int
  /// The name of the last undo step.
  package let lastStep: String?
  package let isInUse: Bool
  /// The reason why the edits cannot be read.
  package let unreadable: String?
  package let problems: [String]
  /// The changes of the first objects.
  package let changes: [ChangeText]

  init(_ info: DraftInfo, of store: Store) {
    (id, parent, author, base) = (info.id, info.parent, info.author, info.position.number)
    time = info.changedAt.map(ValueText.time)
    objects = info.objects.map(\.description)
    (bytes, steps, lastStep) = (info.byteCount, info.groupCount, info.lastGroupName)
    (isInUse, unreadable) = (info.isInUse, info.unreadableReason.map(CommandWords.text))
    problems = info.problems.map(CommandWords.text)
    changes = info.preview.map { ChangeText(LoggedTransaction.Change($0), of: store) }
  }

  /// The loss if the draft is discarded.
  package var question: String {
    let count = objects.count == 1 ? "1 object" : "\(objects.count) objects"
    return "Discard the draft '\(PlainText.line(id))' with the edits of \(count)?"
  }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    var facts = ["based on @\(base)", ValueText.bytes(bytes), steps == 1 ? "1 step" : "\(steps) steps"]
    if let author { facts.insert("by \(PlainText.line(author))", at: 0) }
    if let time { facts.append("edited \(time)") }
    if isInUse { facts.append("in use") }
    try output.line(output.style.ink(.heading, PlainText.line(id)) + "  " + facts.joined(separator: ", "))
    if let parent { try output.line("  child of the draft \(PlainText.line(parent))") }
    if let lastStep { try output.line("  last step: \"\(PlainText.line(lastStep))\"") }
    if let unreadable { try output.line("  unreadable: \(PlainText.line(unreadable))") }
    for problem in problems { try output.line("  problem: \(PlainText.line(problem))") }
    for change in changes { for line in change.lines(output.style) { try output.line(line) } }
    let rest = objects.count - changes.count
    if rest > 0 { try output.line("  … and \(rest == 1 ? "1 more object" : "\(rest) more objects")") }
  }
}

extension LoggedTransaction.Change {
  fileprivate init(_ preview: DraftPreview) {
    let kind: Kind =
      switch preview.kind {
      case .inserted: .inserted
      case .updated: .updated
      case .deleted: .deleted
      }
    self.init(
      object: preview.object, kind: kind,
      properties: preview.properties.map {
        PropertyDifference(property: $0.name, form: .value(from: $0.old ?? .null, to: $0.new ?? .null))
      })
  }
}
