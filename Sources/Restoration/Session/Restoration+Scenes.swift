import RepriseEventStore
import RepriseObjectModel

/// A scene that a store has an archive of.
public struct SceneInfo: Hashable, Sendable {
  /// What ``Restoration/scene`` was; of an archive that was set aside, a name of the library's, by which a
  /// ``Restoration`` restores it, and it is looked into and removed.
  public let name: String
  /// The archive's account of itself.
  public internal(set) var archive: ArchiveInfo
  /// The paths of its nodes, ordered; of those that can be read.
  public let paths: [String]
  /// Whether a `Restoration`, in this process or another, has the scene.
  public let isInUse: Bool
}

extension Restoration {
  /// The scenes that a store has archives of, ordered by name, whether they are in use or not: for a list of windows to
  /// reopen, and to find those that nobody will. Without archives that were refused: ``refusedArchives(of:in:)``. Makes
  /// and restores nothing. Costs the archives' size.
  ///
  /// - Throws: ``RestorationError/store(_:)`` if the store cannot be read.
  public static func scenes(in store: Store) throws -> [SceneInfo] {
    try archives(in: store) { RefusedName($0) == nil }.sorted { $0.name < $1.name }
  }

  /// The archives of a scene that were set aside, as the program refused to restore them, or as they ended one launch
  /// after the other, the first one first: for a menu that offers what was open before.
  ///
  /// ``archive(of:in:)`` looks into one by its ``SceneInfo/name``, a `Restoration` of that name restores it,
  /// and ``removeScene(_:in:)`` removes it. None is ever removed otherwise. Costs the size of all archives.
  ///
  /// - Throws: ``RestorationError/store(_:)`` if the store cannot be read.
  public static func refusedArchives(of scene: String, in store: Store) throws -> [SceneInfo] {
    let scene = stored(scene)
    return try archives(in: store) { RefusedName($0)?.scene == scene }
      .sorted { aside(stored($0.name)) < aside(stored($1.name)) }
  }

  private static func stored(_ scene: String) -> String { SceneName.stored(ComposedText.composed(scene)) }
  private static func aside(_ name: String) -> Int64 { RefusedName(name)?.number ?? 0 }

  private static func archives(in store: Store, where isWanted: (String) -> Bool) throws -> [SceneInfo] {
    do throws(StoreError) {
      var found: [SceneInfo] = []
      for name in try store.sceneNames() where name != SharedArchive.name && isWanted(name) {
        let records = try store.archive(of: name).nodes
        if records.isEmpty { continue }
        let isInUse = store.isSceneClaimed(name)
        var info = SceneInfo(ArchivedScene(records), name: SceneName.shown(name), isInUse: isInUse)
        if !isInUse { info.archive.lastExit = lastExit(of: name, in: store) }
        found.append(info)
      }
      return found
    } catch {
      throw RestorationError.store(error)
    }
  }

  /// What the archive of a scene has, whether the scene is in use or not; `nil` if there is none. Makes and restores
  /// nothing. Costs the archive's size.
  ///
  /// - Throws: ``RestorationError/store(_:)`` if the store cannot be read.
  public static func archive(of scene: String, in store: Store) throws -> ArchivedScene? {
    let name = stored(scene)
    do throws(StoreError) {
      let records = try store.archive(of: name).nodes
      if records.isEmpty { return nil }
      let shared = SharedArchive(StoreArchive(store))
      shared.enter(name)
      var found = ArchivedScene(records, shared: shared.objects(of: name))
      if !store.isSceneClaimed(name) { found.archive.lastExit = lastExit(of: name, in: store) }
      return found
    } catch {
      throw RestorationError.store(error)
    }
  }

  private static func lastExit(of scene: String, in store: Store) -> LastExit {
    LaunchLog(store.journal.note(of: scene)).read()?.lastExit ?? .unknown
  }

  /// Removes the archive of a scene that nobody uses, such as one of a window that is not wanted back. Does nothing if
  /// there is none.
  ///
  /// The screens are gone, but no edit is: drafts stay in `Store.drafts` until they are resumed or
  /// discarded, and a node that is opened at the same path in a scene of this name resumes its draft.
  ///
  /// - Throws: ``RestorationError/sceneInUse(_:process:)`` if a `Restoration`, in this process or another, has it:
  ///   close its nodes, or ``end()`` it, first. ``RestorationError/store(_:)`` if the store cannot be read.
  public static func removeScene(_ scene: String, in store: Store) throws {
    let name = stored(scene)
    do throws(StoreError) {
      // Nobody gets the scene before all of it is gone, or what a new one archives would go with it.
      let isRemoved = try store.removeArchive(
        of: name,
        whileClaimed: {
          let shared = ObjectRegistry.sharedArchive(of: StoreArchive(store))
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
  fileprivate init(_ scene: ArchivedScene, name: String, isInUse: Bool) {
    self.name = name
    self.isInUse = isInUse
    archive = scene.archive
    paths = scene.nodes.filter { $0.problem == nil }.map(\.path.text).sorted()
  }
}
