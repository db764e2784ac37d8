import RepriseCore

/// The result of saving a draft.
package struct SavedDraftText: Encodable {
  let draft: String
  /// `nil` if the draft changed nothing.
  let saved: UInt64?

  package init(_ draft: String, _ position: Position?) { (self.draft, saved) = (draft, position?.number) }

  package func write(to output: Output) throws {
    if output.isJSON { return try output.json(self) }
    let draft = PlainText.line(draft)
    try output.line(
      saved.map { "Transaction @\($0) has the edits of '\(draft)'." } ?? "The draft '\(draft)' changed nothing.")
  }
}
