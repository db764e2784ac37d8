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
    let context: RootContext
    do throws(DraftError) {
      context = try RootContext(self, draft: "main")
    } catch {
      context = RootContext(self)
      context.draftFailure = error
    }
    mainContextSlot.object = context
    return context
  }
}
