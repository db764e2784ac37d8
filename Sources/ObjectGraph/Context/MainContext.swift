import RepriseEventStore

extension Store {
  /// The main actor's context, always the same instance.
  ///
  /// The context follows the head and keeps its uncommitted changes in the draft `main`. If a live context of another
  /// process holds that draft, or if the draft cannot be read, the main context has no draft. Its uncommitted changes
  /// then do not survive the process. ``EditingContext/draftID`` is `nil`, and ``RootContext/draftFailure`` has the
  /// reason. An unreadable draft is kept, and ``drafts`` reports it. Drafts of child contexts still work.
  @MainActor public var mainContext: RootContext {
    if let context = mainContextSlot.object as? RootContext { return context }
    let context = RootContext(self)
    context.isMain = true
    do throws(DraftError) {
      try context.takeUp(draft: "main", .resume)
    } catch {
      context.draftFailure = error
    }
    mainContextSlot.object = context
    return context
  }
}
