import RepriseEventStore
import RepriseObjectModel

/// A scene whose archive is in a store.
public struct SceneInfo: Equatable, Sendable {
  /// The name of the scene, as passed to `Restoration`.
  ///
  /// If the archive was set aside, the library made this name. You can pass it to a `Restoration`, and to the calls
  /// that inspect or remove an archive.
  public let name: String
  /// The metadata of the archive.
  public internal(set) var archive: ArchiveInfo
  /// The paths of the nodes that can be read, in ascending order.
  public let paths: [String]
  /// Whether a `Restoration`, in this process or another, holds the scene.
  public let isInUse: Bool
  /// The ID of the process that holds the scene. If no process holds it, the ID of the process that held it last.
  ///
  /// `nil` if the ID is not known, for example if a power failure destroyed the state of the last launch. A process in
  /// another container reports the ID that it has there.
  public let process: Int32?
}

extension Restoration {
  /// Returns the scenes whose archives are in a store, ordered by name, whether they are in use or not.
  ///
  /// Use it to list the windows to reopen, and to find archives that no window will reopen. Archives that were set
  /// aside are listed by ``refusedArchives(of:in:)``. The call restores nothing. Takes time in proportion to the size
  /// of the archives.
  ///
  /// - Throws: ``RestorationError/store(_:)`` if the store cannot be read.
  public static func scenes(in store: Store) throws -> [SceneInfo] {
    try archives(in: store) { RefusedName($0) == nil }.sorted { $0.name < $1.name }
  }

  /// Returns the archives of a scene that were set aside, the oldest first.
  ///
  /// An archive is set aside if the program refuses it, or if four launches in a row died while restoring it. Use such
  /// archives for a menu of earlier windows. Pass the ``SceneInfo/name`` to ``archive(of:in:)`` to inspect an archive,
  /// to a `Restoration` to restore it, or to ``removeScene(_:in:isolation:)`` to remove it. Nothing else removes it.
  /// Takes time in proportion to the size of all archives.
  ///
  /// - Throws: ``RestorationError/store(_:)`` if the store cannot be read.
  public static func refusedArchives(of scene: String, in store: Store) throws -> [SceneInfo] {
    let scene = stored(scene)
    return try archives(in: store) { RefusedName($0)?.scene == scene }
      .sorted { aside(stored($0.name)) < aside(stored($1.name)) }
  }

  /// The names of the scenes whose archives are in a store, without reading the archives.
  package static func sceneNames(in store: Store) throws -> [String] {
    try store.scenes.names().filter { $0 != SharedArchive.name && RefusedName($0) == nil }.map(SceneName.shown).sorted()
  }

  /// The archives of all scenes that were set aside, ordered by name.
  package static func refusedArchives(in store: Store) throws -> [SceneInfo] {
    try archives(in: store) { RefusedName($0) != nil }.sorted { $0.name < $1.name }
  }

  private static func stored(_ scene: String) -> String { SceneName.stored(ComposedText.composed(scene)) }
  private static func aside(_ name: String) -> Int64 { RefusedName(name)?.number ?? 0 }

  private static func archives(in store: Store, where isWanted: (String) -> Bool) throws -> [SceneInfo] {
    do throws(StoreError) {
      var found: [SceneInfo] = []
      for name in try store.scenes.names() where name != SharedArchive.name && isWanted(name) {
        let scene = JournalTopic.scene(name)
        let records = try store.scenes.archive(of: scene).nodes
        if records.isEmpty { continue }
        let isInUse = store.scenes.isClaimed(scene)
        let launch = LaunchLog(store.scenes.journal.note(of: scene)).read()
        var info = SceneInfo(
          ArchivedScene(records), name: SceneName.shown(name), isInUse: isInUse,
          process: (isInUse ? store.scenes.process(of: scene) : nil) ?? launch?.holder)
        if !isInUse { info.archive.lastExit = launch?.lastExit ?? .unknown }
        found.append(info)
      }
      return found
    } catch {
      throw RestorationError.store(error)
    }
  }

  /// Returns the contents of a scene's archive, whether the scene is in use or not, or `nil` if there is none.
  ///
  /// The call restores nothing. Takes time in proportion to the size of the archive.
  ///
  /// - Throws: ``RestorationError/store(_:)`` if the store cannot be read.
  public static func archive(of scene: String, in store: Store) throws -> ArchivedScene? {
    let name = stored(scene)
    do throws(StoreError) {
      let topic = JournalTopic.scene(name)
      let records = try store.scenes.archive(of: topic).nodes
      if records.isEmpty { return nil }
      let shared = SharedArchive(StoreArchive(store), in: nil)
      shared.enter(name)
      var found = ArchivedScene(records, shared: shared.objects(of: name))
      if !store.scenes.isClaimed(topic) { found.archive.lastExit = lastExit(of: topic, in: store) }
      return found
    } catch {
      throw RestorationError.store(error)
    }
  }

  private static func lastExit(of scene: JournalTopic, in store: Store) -> ExitReason {
    LaunchLog(store.journal.note(of: scene)).read()?.lastExit ?? .unknown
  }

  /// Removes the archive of a scene that is not in use, for example of a window that will not be reopened.
  ///
  /// Does nothing if there is no archive. No edits are lost: drafts stay in `Store.drafts` until they are resumed or
  /// discarded. A node opened at the same path in a scene of this name, with `resumingDraft`, resumes its draft.
  ///
  /// - Throws: ``RestorationError/sceneInUse(_:process:)`` if a `Restoration`, in this process or another, holds the
  ///   scene. Call ``end()`` on it first, or close its nodes there instead. ``RestorationError/store(_:)`` if the store
  ///   cannot be read.
  public static func removeScene(
    _ scene: String, in store: Store, isolation: isolated (any Actor)? = #isolation
  ) throws {
    let name = stored(scene)
    do throws(StoreError) {
      // The scene stays claimed until all of it is removed. Otherwise, records of a new owner would be removed, too.
      let isRemoved = try store.scenes.remove(
        .scene(name),
        whileClaimed: {
          let shared = ObjectRegistry.sharedArchive(of: StoreArchive(store), in: isolation)
          shared.enter(name)
          shared.removeAll(for: name)
          shared.exit(name)
        })
      if isRemoved { return }
    } catch {
      throw RestorationError.store(error)
    }
    let note = LaunchLog(StoreArchive(store).launchFile(of: name)).read()
    throw RestorationError.sceneInUse(scene, process: note?.holder)
  }
}

extension SceneInfo {
  fileprivate init(_ scene: ArchivedScene, name: String, isInUse: Bool, process: Int32?) {
    self.name = name
    self.isInUse = isInUse
    self.process = process
    archive = scene.archive
    paths = scene.nodes.filter { $0.problem == nil }.map(\.path.text).sorted()
  }
}
