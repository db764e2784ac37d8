/// A table of a higher floor with objects of the main actor, by store.
///
/// A store has no reference to such objects. All observers of the process hear of all stores, also of those that they
/// have nothing of.
@MainActor package protocol StoreObserver {
  /// The observer after this one. Only ``StoreObservers/add(_:)`` sets it.
  static var next: (any StoreObserver.Type)? { get set }
  /// The journal of a store ends a frame: hand it now what belongs to the turn.
  static func willEndFrame(of store: Store)
  /// A store ended, so what the table has of it must go.
  ///
  /// - Parameter isClean: Whether it was closed, and nothing was lost. False if it ends as by a kill.
  static func didEnd(_ store: Store, isClean: Bool)
}

/// The observers of the stores of this process.
@MainActor package enum StoreObservers {
  // A chain: the type of an array of types would have to be instantiated at each start of a process.
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
