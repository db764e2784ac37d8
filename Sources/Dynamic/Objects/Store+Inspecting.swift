public import RepriseEventStore
import RepriseObjectModel
import RepriseSystem

extension Store {
  /// Opens a store with the models that it has recorded, so that a tool needs none.
  ///
  /// ```swift
  /// let store = try await Store.open(inspecting: "/var/lib/notes")
  /// for entity in store.entities { print(entity.name, try store.mainContext.count(entity)) }
  /// ```
  ///
  /// ``entities`` describes the models, and objects are read by name: `try note["title"]`,
  /// `try note.members(of: "tags")`. Fetches by entity, lists, histories and past states work as in the program that
  /// made the store. The method has the purpose of Realm's dynamic API, and of
  /// `NSPersistentStoreCoordinator.metadataForPersistentStore`.
  ///
  /// Other programs may have the store open, and may save. The tool writes nothing to the store, unless `editing` is
  /// true. It only has slots of readers in `lock.mdb`, and frees the slots of dead processes. So it also opens a store
  /// on a read-only file system, if no process has it open. Fetches do without indexes in an order that is unknown to
  /// this program.
  ///
  /// `store.drafts.all()` lists the unsaved edits of all programs, of running and of killed ones. `scenes(in:)` and
  /// `archive(of:in:)` of `Restoration` show their screens. Edits of the last 250 ms may be missing, because a running
  /// program has not written them yet. The tool takes nothing over, so a killed program has its drafts again at its
  /// next start.
  ///
  /// With `editing`, contexts can be saved. The rules in the store hold: unique values, delete rules, and the types of
  /// attributes. A store lacks these rules of a program: validations, limits of values and of relationships, merge
  /// rules, and cascades along many-to-many relationships. An attribute that is or was derived cannot be set. If an
  /// object changes, the next opening by a program with the attribute computes it.
  ///
  /// Reads the schema twice. The cost does not grow with the number of objects or transactions.
  ///
  /// - Parameters:
  ///   - path: The directory of a store that this process does not have open.
  ///   - editing: Whether contexts can be saved. The store then behaves as if a program had opened it. So it also takes
  ///     over drafts of processes that were killed.
  /// - Throws: ``StoreError``, like `Store.open`. `inUse` if the store is open in this process. `migration` during a
  ///   migration. With `editing`, `sharesLog` if the store shares its log, and `localeVersionMismatch` if an index has
  ///   another order than this program's. On a read-only file system, `inUseElsewhere` if a process has the store open.
  ///   A save without `editing` throws `SaveError.store` with ``StoreError/readOnly(path:)``.
  public nonisolated(nonsending) static func open(inspecting path: String, editing: Bool = false) async throws -> Store
  {
    try await SystemThread.run { () throws(StoreError) in
      try open(path, isReadOnly: !editing) { schema, derived, outdated in
        DynamicSchema(schema, derived: derived, outdated: outdated).schema()
      }
    }
  }
}
