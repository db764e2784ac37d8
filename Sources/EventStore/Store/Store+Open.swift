import RepriseLMDB
import RepriseLocks
import RepriseObjectModel

extension Store {
  /// The format that this library writes, and the newest that it reads. Docs/FileFormat.md.
  package static let format: UInt32 = 1

  /// Opens the store in a directory, or makes it; its parent directory must exist.
  ///
  /// Costs the same however many objects and transactions there are. A store that is open in this process already is
  /// returned as it is. New models and new attributes are added to the stored schema in a transaction of their own; a
  /// store that knows the models already is opened without taking the write lock.
  ///
  /// - Parameters:
  ///   - path: The store's directory.
  ///   - models: Every model that the store holds objects of.
  /// - Throws: ``StoreError``: a path that cannot be used, files that are not a store or are damaged, a newer format or
  ///   another order of the indexes, models that do not fit together or not to what is stored.
  public static func open(
    _ path: String, for models: any PersistentModel.Type...
  ) async throws(StoreError) -> Store {
    try await open(path, for: Schema(models))
  }

  /// Opens the store in a directory, or makes it; as the form that lists the models.
  ///
  /// - Parameter durability: What a save that returned survives.
  public static func open(
    _ path: String, for schema: Schema, durability: Durability = .full
  ) async throws(StoreError) -> Store {
    try openNow(path, for: schema, StoreOptions(durability: durability))
  }

  package static func openNow(
    _ path: String, for schema: Schema, _ options: StoreOptions
  ) throws(StoreError) -> Store {
    let models: ResolvedSchema
    do throws(SchemaError) { models = try ResolvedSchema(schema) } catch { throw .schema(error) }
    return try StoreRegistry.open(path, models, options)
  }
}

/// How a store is opened. What is not public is for tests.
package struct StoreOptions: Sendable {
  package var durability: Durability
  /// No flushes at all: in-memory speed for tests, never for users.
  package var isUnflushed = false
  package var journal = JournalOptions()

  package init(durability: Durability = .full) { self.durability = durability }
}

/// The stores that are open in this process, by the identity of their directory.
enum StoreRegistry {
  private struct Entry {
    weak var store: Store?
    let models: Set<ObjectIdentifier>
  }

  private static let entries = Guarded<[String: Entry]>([:])

  /// Opening is serialised: two askers for one directory get one store.
  static func open(_ path: String, _ models: ResolvedSchema, _ options: StoreOptions) throws(StoreError) -> Store {
    let key = try StoreDirectory.prepare(path)
    return try entries.withLock { entries throws(StoreError) in
      let identity = Set(models.entities.map { ObjectIdentifier($0) })
      if let entry = entries[key], let store = entry.store, !store.isClosed {
        guard entry.models == identity, store.durability == options.durability else {
          throw StoreError.openedDifferently(path: path)
        }
        return store
      }
      let store = try StoreOpener(path: path, models: models, options: options).open()
      entries = entries.filter { $0.value.store != nil }
      entries[key] = Entry(store: store, models: identity)
      return store
    }
  }

  /// Runs `body` while nothing in this process has the store open, or opens it.
  static func whileClosed<Result: Sendable>(
    _ path: String, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let key = try StoreDirectory.requireStore(path)
    return try entries.withLock { entries throws(StoreError) in
      if let store = entries[key]?.store, !store.isClosed { throw StoreError.inUse(path: path) }
      return try body()
    }
  }
}
