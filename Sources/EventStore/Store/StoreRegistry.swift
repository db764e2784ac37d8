import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// The stores of this process, one for each directory, by the directory's identity.
package enum StoreRegistry {
  // A class, because all arrays of objects share one type, which exists when a process starts.
  private final class Entry {
    let key: FileIdentity
    weak var store: Store?
    let models: ResolvedSchema

    init(key: FileIdentity, store: Store, models: ResolvedSchema) {
      self.key = key
      self.store = store
      self.models = models
    }
  }

  /// An array, because there are few entries, and the type of a dictionary would be instantiated at each start of a
  /// process.
  private static let entries = Guarded<[Entry]>([])
  /// Held while a store is opened, which may take long, and while a store must be closed.
  private static let opening = Guarded(())

  /// Concurrent callers that open one directory get the same store.
  static func open(_ path: String, _ models: ResolvedSchema, _ options: StoreOptions) throws(StoreError) -> Store {
    let store = try instance(path, models, options)
    try opening.withLock { (_) throws(StoreError) in _ = try open(store, models, options, writing: true) }
    return store
  }

  /// Opens a store that callers have already.
  static func open(_ store: Store, _ models: ResolvedSchema, _ options: StoreOptions) throws(StoreError) {
    guard try instance(store.path, models, options, ifNone: store) === store else {
      throw .alreadyOpenWithOtherModels(path: store.path)
    }
    try opening.withLock { (_) throws(StoreError) in _ = try open(store, models, options, writing: true) }
  }

  /// Opens a store that needs no write. `nil` if the store or new parts of its schema must be written first, or if
  /// another thread is opening a store.
  static func openAtOnce(
    _ path: String, _ models: ResolvedSchema, _ options: StoreOptions
  ) throws(StoreError) -> Store? {
    let store = try instance(path, models, options)
    let isOpen = try opening.withLockIfAvailable { (_) throws(StoreError) in
      try open(store, models, options, writing: false)
    }
    return isOpen == true ? store : nil
  }

  /// Opens a store that needs no write, and waits for a thread that opens another one.
  static func openUnchanged(
    _ path: String, _ models: ResolvedSchema, _ options: StoreOptions
  ) throws(StoreError) -> Store {
    let store = try instance(path, models, options)
    let isOpen = try opening.withLock { (_) throws(StoreError) in
      try open(store, models, options, writing: false)
    }
    if !isOpen { throw .readOnly(path: path) }
    return store
  }

  /// The store of a directory, open or not.
  ///
  /// - new: The store to register if the directory has none.
  static func instance(
    _ path: String, _ models: ResolvedSchema, _ options: StoreOptions, ifNone new: Store? = nil
  ) throws(StoreError) -> Store {
    let key = try StoreDirectory.prepare(path, options.access)
    return try entries.withLock { entries throws(StoreError) in
      if entries.contains(where: { $0.store == nil }) { entries.removeAll { $0.store == nil } }
      if let index = entries.firstIndex(where: { $0.key == key }), let store = entries[index].store {
        if !store.isClosed {
          if models.has(entries[index].models) { return store }
          // A store that could not be opened does not block another one.
          if !store.hasFailedToOpen { throw .alreadyOpenWithOtherModels(path: path) }
        }
        entries.remove(at: index)
      }
      let store = new ?? Store(path: path, options)
      entries.append(Entry(key: key, store: store, models: models))
      return store
    }
  }

  /// The stores that are open in this process.
  package static var openStores: [Store] {
    entries.withLock { entries in entries.compactMap(\.store) }.filter { $0.isReady && !$0.isClosed }
  }

  /// Opens a registered store, unless it is open. False if something must be written and `writing` is false.
  private static func open(
    _ store: Store, _ models: ResolvedSchema, _ options: StoreOptions, writing: Bool
  ) throws(StoreError) -> Bool {
    if store.isReady {
      if options.sharing != nil, options.sharing !== store.files.sharing { throw .inUse(path: store.path) }
      if options.isStrict, !store.warnings.isEmpty { throw .notInModels(store.warnings) }
      return true
    }
    return try StoreOpener(path: store.path, models: models, options: options).open(store, writing: writing)
  }

  /// Runs `body` while the store is closed in this process, and keeps it from being opened meanwhile.
  package static func whileClosed<Result: Sendable>(
    _ path: String, _ body: (StoreAccess) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let (key, access) = try StoreDirectory.requireStore(path)
    return try opening.withLock { (_) throws(StoreError) in
      let isOpen = entries.withLock { entries in
        entries.contains { entry in
          guard entry.key == key, let store = entry.store else { return false }
          return store.scenes.areReady && !store.isClosed
        }
      }
      if isOpen { throw .inUse(path: path) }
      return try body(access)
    }
  }
}

extension ResolvedSchema {
  /// Whether the models are these entities. If they are, so are their links.
  fileprivate func has(_ others: ResolvedSchema) -> Bool {
    entities.count == others.entities.count
      && entities.allSatisfy { entity in entity.isLink || others.entities.contains { $0 === entity } }
  }
}
