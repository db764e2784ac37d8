import RepriseEventStore

extension Store {
  /// The main actor's context: always the same one. It follows the head, and keeps its uncommitted changes in the draft
  /// `main`.
  ///
  /// If a live context of another process has that draft, or if it cannot be read (it is kept, and ``drafts`` says
  /// why), this context has no draft: its uncommitted changes do not survive the process. ``EditingContext/draftID`` is
  /// then `nil`, and ``RootContext/draftFailure`` says why. The drafts of its children are still kept.
  @MainActor public var mainContext: RootContext {
    if let context = mainContextSlot.object as? RootContext { return context }
    let context = RootContext(self)
    do throws(DraftError) {
      try context.takeUp(draft: "main", .resume)
    } catch {
      context.draftFailure = error
      context.lossesAtFirst = [error.description]
    }
    mainContextSlot.object = context
    return context
  }
}
