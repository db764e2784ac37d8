import RepriseEventStore

extension Restoration {
  /// Restoration of the screens that an archive of a store keeps.
  ///
  /// - Parameters:
  ///   - scene: Names the archive. One `Restoration` for each name at a time restores, among all processes.
  ///   - schemaVersion: Of the program's states: what ``restore(shouldRestore:)`` tells the program of the next launch.
  ///   - appVersion: Likewise.
  public convenience init(
    _ store: Store, scene: String = "main", schemaVersion: Int = 1, appVersion: String = ""
  ) {
    self.init(storage: StoreArchive(store), scene: scene, schemaVersion: schemaVersion, appVersion: appVersion)
  }
}
