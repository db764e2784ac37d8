import RepriseEventStore
import RepriseObjectModel

/// A scene that a store has an archive of.
public struct SceneInfo: Hashable, Sendable {
  /// What ``Restoration/scene`` was. An archive that the program refused has its scene's name followed by `#refused`.
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
  /// reopen, and to find those that nobody will. Makes and restores nothing. Costs the archives' size.
  ///
  /// - Throws: ``RestorationError/store(_:)`` if the store cannot be read.
  public static func scenes(in store: Store) throws -> [SceneInfo] {
    do throws(StoreError) {
      var found: [SceneInfo] = []
      for name in try store.sceneNames() {
        let records = try store.archive(of: name).nodes
        if records.isEmpty { continue }
        var info = SceneInfo(name, records, isInUse: store.isSceneClaimed(name))
        if !info.isInUse, let note = LaunchLog(store.journal.note(of: name)).read() {
          info.archive.lastExit = note.lastExit
        }
        found.append(info)
      }
      return found
    } catch {
      throw RestorationError.store(error)
    }
  }

  /// Removes the archive of a scene that nobody uses, such as one of a window that is not wanted back. Does nothing if
  /// there is none.
  ///
  /// The screens are gone, but no edit is: drafts stay in `Store.drafts` until they are resumed or
  /// discarded, and a node that is opened at the same path in a scene of this name resumes its draft.
  ///
  /// - Throws: ``RestorationError/sceneInUse(_:)`` if a `Restoration`, in this process or another, has it: close its
  ///   nodes, or ``end()`` it, first. ``RestorationError/store(_:)`` if the store cannot be read.
  public static func removeScene(_ name: String, in store: Store) throws {
    let name = ComposedText.composed(name)
    do throws(StoreError) {
      if try store.removeArchive(of: name) { return }
    } catch {
      throw RestorationError.store(error)
    }
    throw RestorationError.sceneInUse(name)
  }
}

extension SceneInfo {
  fileprivate init(_ name: String, _ records: SceneNodes, isInUse: Bool) {
    self.name = name
    self.isInUse = isInUse
    archive = ArchiveInfo(of: records)
    var paths: [String] = []
    records.buffer.withUnsafeBytes { all in
      for node in records.nodes {
        let key = UnsafeRawBufferPointer(rebasing: all[node.key])
        guard ArchiveKey.isNode(key) else { continue }
        var fields = ArchiveFields()
        do throws(ArchiveRecordError) {
          try fields.read(UnsafeRawBufferPointer(rebasing: all[node.bytes]), key: key)
        } catch {
          continue
        }
        if !fields.isObject { paths.append(String(decoding: fields.name, as: UTF8.self)) }
      }
    }
    self.paths = paths.sorted()
  }
}
