/// A table of a higher floor that keeps objects of the main actor by store.
///
/// A store has no reference to such objects. All observers of the process are notified about all stores, including
/// stores that they have no objects of.
@MainActor package protocol StoreObserver {
  /// The observer after this one. Only ``StoreObservers/add(_:)`` sets it.
  static var next: (any StoreObserver.Type)? { get set }
  /// Called before the journal of a store ends a frame. The observer appends the entries that belong to the turn.
  static func willEndFrame(of store: Store)
  /// Called when a store has ended. The observer removes its objects of the store.
  ///
  /// - Parameter isClean: True if the store was closed and nothing was lost. False if it ends as by a kill.
  static func didEnd(_ store: Store, isClean: Bool)
}

/// The observers of the stores of this process.
@MainActor package enum StoreObservers {
  // A chain of types, because the type of an array of types would have to be instantiated at each start of a process.
  private static var first: (any StoreObserver.Type)?

  /// Call it once for each observer.
  package static func add(_ observer: any StoreObserver.Type) {
    observer.next = first
    first = observer
  }

  static func willEndFrame(of store: Store) {
    var observer = first
    while let it = observer {
      it.willEndFrame(of: store)
      observer = it.next
    }
  }

  static func didEnd(_ store: Store, isClean: Bool) {
    var observer = first
    while let it = observer {
      it.didEnd(store, isClean: isClean)
      observer = it.next
    }
  }
}
