import RepriseEventStore

extension Store {
  /// The main actor's context: the same one each time, following the head, its uncommitted changes kept under the draft
  /// ID `main`.
  ///
  /// If a live context of another process has that draft, or if it cannot be read (``drafts`` says why, and keeps it),
  /// this one goes without: ``EditingContext/draftID`` is then `nil`, and its uncommitted changes do not survive the
  /// process.
  @MainActor public var mainContext: RootContext {
    if let context = mainContextSlot.object as? RootContext { return context }
    let context = (try? RootContext(self, draft: "main")) ?? RootContext(self)
    mainContextSlot.object = context
    return context
  }
}
