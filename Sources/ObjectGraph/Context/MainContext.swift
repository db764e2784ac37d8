import RepriseEventStore

extension Store {
  /// The main actor's context, always the same instance.
  ///
  /// The context follows the head and keeps its uncommitted changes in the draft `main`. If a live context of another
  /// process holds that draft, or if the draft cannot be read, the main context has no draft. Its uncommitted changes
  /// then do not survive the process. ``EditingContext/draftID`` is `nil`, and ``RootContext/draftFailure`` has the
  /// reason. An unreadable draft is kept, and ``Drafts/all()`` lists it. Drafts of child contexts still work.
  @MainActor public var mainContext: RootContext {
    if let context = MainContexts.context(of: self) { return context }
    let context = RootContext(self)
    context.isMain = true
    do throws(DraftError) {
      try context.takeUp(draft: "main", .resume)
    } catch {
      context.draftFailure = error
    }
    MainContexts.add(context)
    return context
  }
}

/// The main contexts of the open stores of this process.
@MainActor package enum MainContexts {
  // An array, because there are few contexts, and because all arrays of objects share one type, which needs no
  // instantiation.
  private static var contexts: [RootContext] = []
  private static var isObserving = false

  package static func context(of store: Store) -> RootContext? { contexts.first { $0.store === store } }

  static func add(_ context: RootContext) {
    if !isObserving { StoreObservers.add(Observer.self) }
    isObserving = true
    contexts.append(context)
  }

  package static func remove(_ store: Store) { contexts.removeAll { $0.store === store } }

  private enum Observer: StoreObserver {
    // Safe: it is set once, before another thread reads it.
    nonisolated(unsafe) static var next: (any StoreObserver.Type)?

    static func didEnd(_ store: Store, isClean: Bool) async { await remove(store) }
  }
}
