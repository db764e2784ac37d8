import RepriseEventStore

extension Restoration {
  /// Makes a `Restoration` for a scene whose archive is in a store.
  ///
  /// Call ``restore(shouldRestore:)`` to restore it.
  ///
  /// - Parameters:
  ///   - scene: The name of the scene. Among all processes, one `Restoration` at a time holds a scene.
  ///   - schemaVersion: The version of the program's states. ``restore(shouldRestore:)`` passes it to the next launch.
  ///   - appVersion: The version of the program. ``restore(shouldRestore:)`` passes it to the next launch. A quarantine
  ///     ends when it changes.
  ///   - isolation: The actor that the instance and its screens belong to.
  public convenience init(
    _ store: Store, scene: String = "main", schemaVersion: Int = 1, appVersion: String = "",
    isolation: isolated any Actor = #isolation
  ) {
    self.init(
      storage: StoreArchive(store), scene: scene, schemaVersion: schemaVersion, appVersion: appVersion,
      isolation: isolation)
  }
}
