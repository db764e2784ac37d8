import RepriseEventStore

/// The objects that several scenes of a process have registered: a separate archive of the store, with one record for
/// each object.
///
/// Only one process at a time writes it. Meanwhile, the scenes of another process keep such states in their archives.
/// Of several states of an object, the newest is used.
final class SharedArchive {
  /// The name of the archive. It has two slashes in sequence, which no path has, so it cannot collide with a draft of a
  /// scene.
  static let name = SceneRecord.sharedScene

  private let storage: any ArchiveStorage
  /// The isolation of the scenes. `nil` if no scene uses it.
  let isolation: (any Actor)?
  /// The scenes of this process that use it.
  private var users: Set<String> = []
  private var isClaimed = false
  /// By the object's key.
  private var records: [String: SharedRecord] = [:]
  /// Why records cannot be read, by key.
  private(set) var damage: [String: String] = [:]

  init(_ storage: any ArchiveStorage, in isolation: (any Actor)?) {
    self.storage = storage
    self.isolation = isolation
  }

  /// Reads the changes of other scenes before a scene is restored.
  func enter(_ scene: String) {
    users.insert(scene)
    look()
  }

  /// Reads the archive for a scene that only reads.
  func look() { if !isClaimed { try? read() } }

  /// A scene has ended. After the last one, another process may write.
  func exit(_ scene: String) {
    users.remove(scene)
    guard users.isEmpty, isClaimed else { return }
    isClaimed = false
    storage.release(Self.name, for: self)
  }

  /// Tries to claim the archive. Returns whether this process may write it.
  func claim() -> Bool {
    if isClaimed { return true }
    guard (try? storage.claim(Self.name, for: self)) == true else { return false }
    do throws(StoreError) { try read() } catch {
      storage.release(Self.name, for: self)
      return false
    }
    isClaimed = true
    return true
  }

  private func read() throws(StoreError) {
    let found = try storage.contents(of: Self.name).all()
    (records, damage) = ([:], [:])
    found.buffer.withUnsafeBytes { all in
      for node in found.nodes {
        let key = UnsafeRawBufferPointer(rebasing: all[node.key])
        do throws(ArchiveRecordError) {
          let record = try SharedRecord(UnsafeRawBufferPointer(rebasing: all[node.bytes]), key: key)
          records[record.object.name] = record
        } catch {
          damage[String(decoding: key.dropFirst(), as: UTF8.self)] = error.reason
        }
      }
    }
  }

  // MARK: Records

  /// The last record that was read or written for an object.
  func record(of key: String) -> SharedRecord? { records[key] }

  /// All objects that a scene refers to.
  func objects(of scene: String) -> [ArchiveRecord] {
    records.values.filter { $0.scenes.contains(scene) }.map(\.object)
  }

  /// Records that a scene refers to an object, with this state. Writes nothing if the archive has the same state or a
  /// newer one.
  func put(_ object: ArchiveRecord, for scene: String) {
    var record = records[object.name] ?? SharedRecord(scenes: [], object: object)
    record.scenes.insert(scene)
    record.update(object)
    write(record)
  }

  /// A scene no longer refers to an object.
  ///
  /// - Parameter object: The object with its last state in that scene, if it is known.
  func remove(_ key: String, for scene: String, last object: ArchiveRecord? = nil) {
    guard var record = records[key] else { return }
    record.scenes.remove(scene)
    if let object { record.update(object) }
    write(record)
  }

  /// Records that a scene refers to no shared object. If another process writes the archive, the scene stays listed
  /// there.
  func removeAll(for scene: String) {
    if !objects(of: scene).isEmpty, claim() { for key in records.keys.heapSorted(by: <) { remove(key, for: scene) } }
  }

  private func write(_ record: SharedRecord) {
    let (name, key) = (record.object.name, record.object.key)
    guard record != records[name] else { return }
    records[name] = record.scenes.isEmpty ? nil : record
    damage[name] = nil
    storage.write(
      [record.scenes.isEmpty ? .remove(key: key) : .put(key: key, bytes: record.encoded())], scene: Self.name)
  }
}

extension SharedArchive: SceneOwner {
  var archiveName: String { Self.name }
  // Nothing to do: another process asks for the scenes, and not for this archive.
  func letGo() {}
  // Nothing to do: the scenes write the shared states.
  func writeChanges() {}
  // The scenes report the failure.
  func writingFailed(_ error: StoreError) {}
  func storeWasClosed() { isClaimed = false }
}
