import RepriseCore

/// The save of a draft: first a preview with the conflicts, then the save.
///
/// The draft belongs to a context meanwhile. It stays in the store unless it is saved.
package struct DraftPlan {
  /// The decision about conflicts with saves since the base of the draft.
  package enum Answer: String, Codable, Sendable, CaseIterable {
    /// The values of the draft win.
    case mine
    /// The later saves win.
    case theirs
  }

  package let draft: DraftText
  package let answer: Answer?
  private let context: RootContext
  private let conflicts: [Conflict]

  /// - Parameter store: A store that is open for editing.
  package init(_ id: String, of store: Store, _ answer: Answer? = nil) throws {
    let info = try DraftsReport.info(id, of: store)
    try self.init(info, of: Self.resumed(info, of: store), answer)
  }

  /// - Parameter context: A context that has resumed the draft.
  package init(_ info: DraftInfo, of context: RootContext, _ answer: Answer?) throws {
    (draft, self.answer, self.context) = (DraftText(info, of: context.store), answer, context)
    conflicts = try context.conflicts()
  }

  /// A context with the edits of a draft, which no other context can have meanwhile. It moves only by `refresh()` and
  /// by a save.
  ///
  /// - Throws: `ToolError` if the draft belongs to a parent, or cannot be read. `DraftError` if it is in use.
  package static func resumed(_ info: DraftInfo, of store: Store) throws -> RootContext {
    if let parent = info.parent { throw ToolError.draftOfParent(info.id, parent: parent) }
    if let reason = info.unreadableReason { throw ToolError.unreadableDraft(info.id, reason: reason) }
    return try RootContext(store, author: info.author, draft: info.id, isolation: nil)
  }

  private struct ConflictJSON: Encodable {
    let object: String
    let property: String?
    let sentence: String
    let base: ValueJSON
    let mine: ValueJSON
    let theirs: ValueJSON
    let answer: Answer?
  }

  /// Writes the changes and conflicts.
  package func write(to output: Output) throws {
    try draft.write(to: output)
    if output.isJSON {
      for conflict in conflicts {
        try output.json(
          ConflictJSON(
            object: conflict.object.description, property: conflict.attribute,
            sentence: CommandWords.text(conflict.description), base: ValueJSON(value: conflict.base),
            mine: ValueJSON(value: conflict.mine), theirs: ValueJSON(value: conflict.theirs), answer: answer))
      }
      return
    }
    if conflicts.isEmpty { return }
    try output.line("Conflicts with later saves:")
    let decision =
      switch answer {
      case .mine: "The draft wins."
      case .theirs: "The later save wins."
      case nil: "Open: add '--mine' or '--theirs'."
      }
    for (number, conflict) in conflicts.enumerated() {
      let sentence = PlainText.line(CommandWords.text(conflict.description))
      try output.line("  \(number + 1). \(sentence). \(output.style.ink(.name, decision))")
    }
    try output.flush()
  }

  /// Throws the reason why the draft cannot be saved.
  package func requireReady() throws(ToolError) {
    if answer == nil, !conflicts.isEmpty { throw .draftConflicts(draft.id, count: conflicts.count) }
  }

  /// Saves the edits as a transaction, by the author of the draft. Returns its position, or `nil` if nothing changes.
  ///
  /// - Parameter author: The author of the transaction if the draft has none.
  /// - Throws: `SaveError`. `refused` if another save came between, and changed the same values.
  package nonisolated(nonsending) func save(as name: String, orBy author: String? = nil) async throws -> Position? {
    try requireReady()
    let known = Set(conflicts)
    let policy: MergePolicy? = answer.map { answer in
      .custom { known.contains($0) ? answer == .mine ? .mine : .theirs : .refuse }
    }
    let result = try await context.saveChanges(name, by: context.author ?? author, merging: policy)
    return result.isEmpty ? nil : result.position
  }
}
