import RepriseSystem

/// A table of a higher floor that keeps objects by store.
///
/// A store has no reference to such objects. All observers of the process are notified about all stores, including
/// stores that they have no objects of.
package protocol StoreObserver: SendableMetatype {
  /// The observer after this one. Only ``StoreObservers/add(_:)`` sets it, once.
  static var next: (any StoreObserver.Type)? { get set }
  /// Called in an isolation before the journal of a store ends a frame. The observer appends the entries of the turn
  /// that only this isolation can make.
  static func willEndFrame(of store: Store, in isolation: any Actor)
  /// Called before the journal of a store ends its last frame. The observer appends the entries of all isolations.
  static func willEnd(_ store: Store) async
  /// Called when a store has ended. The observer removes its objects of the store.
  ///
  /// - Parameter isClean: True if the store was closed and nothing was lost. False if it ends as by a kill.
  static func didEnd(_ store: Store, isClean: Bool) async
}

extension StoreObserver {
  package static func willEndFrame(of store: Store, in isolation: any Actor) {}
  package static func willEnd(_ store: Store) async {}
}

/// The observers of the stores of this process.
package enum StoreObservers {
  // A chain of types, because the type of an array of types would have to be instantiated at each start of a process.
  private static let first = Guarded<(any StoreObserver.Type)?>(nil)

  /// Call it once for each observer.
  package static func add(_ observer: any StoreObserver.Type) {
    first.withLock { first in
      observer.next = first
      first = observer
    }
  }

  static func willEndFrame(of store: Store, in isolation: any Actor) {
    var observer = first.withLock { $0 }
    while let it = observer {
      it.willEndFrame(of: store, in: isolation)
      observer = it.next
    }
  }

  static func willEnd(_ store: Store) async {
    var observer = first.withLock { $0 }
    while let it = observer {
      await it.willEnd(store)
      observer = it.next
    }
  }

  static func didEnd(_ store: Store, isClean: Bool) async {
    var observer = first.withLock { $0 }
    while let it = observer {
      await it.didEnd(store, isClean: isClean)
      observer = it.next
    }
  }
}
