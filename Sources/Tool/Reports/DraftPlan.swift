import RepriseCore

/// The save of a draft: first a preview with the conflicts, then the save.
///
/// The draft belongs to this value meanwhile. It stays in the store unless it is saved.
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
    if let parent = info.parent { throw ToolError.draftOfParent(id, parent: parent) }
    if let reason = info.unreadableReason { throw ToolError.unreadableDraft(id, reason: reason) }
    (draft, self.answer) = (DraftText(info, of: store), answer)
    context = try RootContext(store, author: info.author, draft: id)
    conflicts = try context.conflicts()
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
  /// - Throws: `SaveError`. `refused` if another save came between, and changed the same values.
  package nonisolated(nonsending) func save(as name: String) async throws -> Position? {
    try requireReady()
    let known = Set(conflicts)
    let policy: MergePolicy? = answer.map { answer in
      .custom { known.contains($0) ? answer == .mine ? .mine : .theirs : .refuse }
    }
    let result = try await context.saveChanges(name, merging: policy)
    return result.isEmpty ? nil : result.position
  }
}
