import RepriseEventStore

extension Store {
  /// The main actor's context: the same one each time, following the head, its uncommitted changes kept under the draft
  /// ID `main`.
  ///
  /// If a live context of another process has that draft, or if it cannot be read (``drafts`` says why, and keeps it),
  /// this one goes without: its uncommitted changes do not survive the process. ``EditingContext/draftID`` is then
  /// `nil`, and ``RootContext/draftFailure`` says why. Drafts of its children are kept all the same.
  @MainActor public var mainContext: RootContext {
    if let context = mainContextSlot.object as? RootContext { return context }
    let context = RootContext(self)
    do throws(DraftError) {
      try context.takeUp(draft: "main", .resume)
    } catch {
      context.draftFailure = error
    }
    mainContextSlot.object = context
    return context
  }
}
