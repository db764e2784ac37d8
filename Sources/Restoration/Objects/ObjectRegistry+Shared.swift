import RepriseEventStore
import RepriseSystem
import RepriseObjectModel

/// Objects with a state that several scenes have registered: each has one state, the newest.
///
/// The object of a single scene is in the scene's archive. As soon as a second scene has the same object, it moves to
/// the archive that they share, and stays there. While another process has the shared archive, each scene keeps the
/// object in its own archive. The stamp shows which state is the newest.
extension ObjectRegistry {
  /// The objects of the scenes that were restored in this process.
  private static let scenes = Guarded(IsolatedReferences())

  /// The objects of the scenes in an isolation. Another isolation cannot have the same objects.
  private static func liveScenes(in isolation: (any Actor)?) -> [ObjectRegistry] {
    scenes.withLock { $0.all }.compactMap { $0.object(in: isolation) as? ObjectRegistry }
  }

  /// Call this once the scene is restored. The other scenes of its isolation then see its objects.
  func enterScenes() {
    let reference = IsolatedReference(self, in: scene.isolation)
    Self.scenes.withLock { $0.append(reference) }
  }

  /// The entries of an object in live scenes. The entry of this scene comes first.
  private func known(of object: AnyObject) -> [(scene: ObjectRegistry, entry: ObjectEntry)] {
    let others = Self.liveScenes(in: scene.isolation).filter { $0 !== self }
    return ([self] + others).flatMap { scene in
      scene.entries.values.filter { $0.object === object }.map { (scene, $0) }
    }
  }

  /// Has each scene that knows the object write its state at the end of the turn.
  func markWherever(_ object: AnyObject) {
    for (scene, entry) in known(of: object) { scene.changes.mark(entry) }
  }

  /// The newest state that a scene has of the object, written or not. `nil` if it is the state in `entry`. Otherwise
  /// the object must not take the state in `entry`.
  func newerState(than entry: ObjectEntry, of object: AnyObject) -> ObjectEntry? {
    var newest: ObjectEntry?
    for (scene, other) in known(of: object) where other !== entry {
      guard case .done = other.resolution else { continue }
      // The object may have changed since it was written.
      try? scene.takeState(of: other)
      if other.stamp > (newest ?? entry).stamp { newest = other }
    }
    return newest
  }

  /// Notes that an object has the state of an entry, so that other scenes write this state with its original stamp.
  func giveAge(of entry: ObjectEntry, to object: any RestorableScreen) {
    for (scene, other) in known(of: object) where other !== entry {
      guard case .done = other.resolution else { continue }
      let encoder = RestorationEncoder(scene)
      object.encodeRestorableState(with: encoder)
      other.unknown = entry.unknown
      other.stateAtFirst = (try? encoder.encoded(keeping: other.unknown))?[...]
      other.stamp = entry.stamp
    }
  }

  // MARK: Objects that factories make

  /// A factory made an object, which other live scenes may have: all of its nodes have the newest state.
  func takeUpLive(_ entry: ObjectEntry) {
    guard let object = entry.made, let node = entry.node else { return }
    entry.stateAtFirst = (try? node.encoded())?[...]
    if sharers(of: entry.key).contains(where: { $0.isShared && $0.object === object }) { entry.isShared = true }
    let others = known(of: object).filter { $0.entry !== entry && $0.entry.node != nil }
    gatherState(for: entry)
    guard let newest = others.map(\.entry).max(by: { $0.stamp < $1.stamp }) else { return }
    if entry.state != nil, entry.stamp > newest.stamp { return giveState(of: entry) }
    if let its = newest.node { node.takeUpState(of: its) }
    (entry.state, entry.stamp, entry.isChanged) = (newest.state, newest.stamp, true)
    entry.stateAtFirst = newest.state
  }

  /// Takes over the state that was set in the object's nodes of other scenes.
  func gatherState(for entry: ObjectEntry) {
    guard let object = entry.made else { return }
    for (scene, other) in known(of: object) where other !== entry && other.node != nil {
      try? scene.takeState(of: other)
    }
  }

  /// Gives the state of an entry to the object's nodes in other scenes.
  func giveState(of entry: ObjectEntry) {
    guard let object = entry.made, let node = entry.node else { return }
    for (scene, other) in known(of: object) where other !== entry {
      for its in other.otherNodes + [other.node].compactMap(\.self) { its.takeUpState(of: node) }
      (other.state, other.stamp, other.isChanged) = (entry.state, entry.stamp, true)
      scene.changes.mark(other)
    }
  }

  /// Gives the object's nodes to another scene that has the object, because this scene ends.
  ///
  /// - Returns: Whether there is such a scene.
  func handOverNode(of entry: ObjectEntry) -> Bool {
    guard let object = entry.made, let node = entry.node else { return false }
    let heirs = known(of: object).filter { $0.scene !== self && !$0.scene.scene.isReadOnly && $0.entry.factory != nil }
    guard let heir = heirs.first?.entry else { return false }
    let own = heir.node
    for its in entry.otherNodes + [node] { heir.factory?.adopt(its, for: heir) }
    // The heir gets the state that was set in this turn.
    if let own { heir.node = own }
    return true
  }

  // MARK: One record

  /// The archive that the scenes of a store share in an isolation.
  static func sharedArchive(of storage: any ArchiveStorage, in isolation: (any Actor)?) -> SharedArchive {
    let scenes = liveScenes(in: isolation).filter { $0.scene.storage.identity == storage.identity }
    return scenes.lazy.compactMap(\.sharedArchive).first ?? SharedArchive(storage, in: isolation)
  }

  /// The shared archive. From now on, this scene sees the writes of other scenes.
  private var shared: SharedArchive {
    if let sharedArchive { return sharedArchive }
    let archive = Self.sharedArchive(of: scene.storage, in: scene.isolation)
    // A scene that only reads neither claims nor releases the archive.
    if scene.isReadOnly { archive.look() } else { archive.enter(scene.name) }
    sharedArchive = archive
    return archive
  }

  /// The other scenes of the store.
  private var others: [ObjectRegistry] {
    Self.liveScenes(in: scene.isolation).filter { other in
      other.scene.storage.identity == scene.storage.identity && other.scene.name != scene.name
        && !other.scene.isReadOnly
    }
  }

  /// The archived entries of other scenes under a key.
  private func sharers(of key: String) -> [ObjectEntry] {
    others.compactMap { $0.entries[key] }.filter { entry in
      guard case .done = entry.resolution else { return false }
      return entry.object != nil && entry.references > 0
    }
  }

  /// Marks the entries of an object in other scenes, because this scene refers to the object from now on, too.
  func markSharers(of entry: ObjectEntry) {
    guard let object = entry.object else { return }
    for other in others {
      if let shared = other.entries[entry.key], shared.object === object { other.changes.mark(shared) }
    }
  }

  /// Call this before an object takes up the state from the archive. If the shared state is newer, the entry gets the
  /// shared state.
  ///
  /// - Parameter object: `nil` if a factory is still to make it.
  func takeUpShared(_ entry: ObjectEntry, _ object: AnyObject?) {
    guard !ignoresShared, !entry.ignoresShared else { return }
    if let reason = shared.damage[entry.key] { entry.outcome = .corrupt(reason: reason) }
    guard let record = shared.record(of: entry.key) else { return }
    let live = object == nil ? [] : sharers(of: entry.key).filter { $0.isShared && $0.object === object }
    // If the record does not list this scene, the scene has a separate object, unless a listed scene has the same one.
    guard record.scenes.contains(scene.name) || !live.isEmpty else { return }
    entry.isShared = true
    // A live object has that state already, unless another process wrote a newer one since.
    guard live.allSatisfy({ record.object.order > $0.stamp }) else { return }
    guard entry.state == nil || record.object.order > entry.stamp else { return }
    entry.state = record.object.state
    entry.version = record.object.version
    entry.stamp = record.object.order
    changeNeeds(of: entry, to: record.object.needs)
  }

  /// Writes an object's state into the shared record.
  ///
  /// - Returns: Whether the state belongs there, and could be written.
  func share(_ entry: ObjectEntry) -> Bool {
    guard let object = entry.object else { return false }
    let others = sharers(of: entry.key)
    let sharers = others.filter { $0.object === object }
    let isOfTheirs = entry.isShared || sharers.contains(where: \.isShared)
    if !sharers.isEmpty, isOfTheirs || shared.claim() && shared.record(of: entry.key) == nil {
      // This includes the other scenes, because this one may end before they write.
      for sharer in sharers + [entry] { sharer.isShared = true }
      if !isOfTheirs { markSharers(of: entry) }
    } else if others.contains(where: \.isShared) {
      // That record is of another object.
      if entry.isShared, shared.claim() { shared.remove(entry.key, for: scene.name) }
      entry.isShared = false
    }
    guard entry.isShared, shared.claim() else { return false }
    shared.put(entry.record, for: scene.name)
    return true
  }

  /// Records that the scene no longer refers to the shared record of an object.
  func leaveShared(_ entry: ObjectEntry) {
    guard entry.isShared, !scene.isReadOnly, shared.claim() else { return }
    var last: ArchiveRecord?
    // A change of this turn counts for all scenes.
    gatherState(for: entry)
    if entry.object != nil, case .done = entry.resolution, (try? takeState(of: entry)) != nil {
      last = entry.record
    }
    shared.remove(entry.key, for: scene.name, last: last)
  }

  /// The refused archive is set aside. This scene no longer uses its objects.
  func leaveAllShared() {
    if ignoresShared, !scene.isReadOnly { shared.removeAll(for: scene.name) }
  }

  /// The shared records that the scene refers to, except records with a newer state in its own archive.
  func sharedRecords(newerThan own: SceneNodes) -> [ArchiveRecord] {
    let shared = shared.objects(of: scene.name)
    if shared.isEmpty { return [] }
    let states = ArchivedScene(own).objects
    return shared.filter { record in !states.contains { $0.key == record.name && $0.changedAt >= record.order } }
  }

  /// The keys of the objects that have a state in the scene's archive or in the one that is shared.
  var keysWithState: [String] {
    var keys = Set(entries.values.filter { $0.state != nil }.map(\.key))
    if entries.values.contains(where: { $0.restorable != nil || $0.factory != nil }) {
      for record in shared.objects(of: scene.name) { keys.insert(record.name) }
    }
    return Array(keys)
  }

  // MARK: Stamps

  /// A stamp for a state that is written now: later than all that are known, even if the clock went back.
  func stamp(for entry: ObjectEntry) -> UInt64 {
    var latest = max(entry.stamp, entry.isShared ? shared.record(of: entry.key)?.object.order ?? 0 : 0)
    if let object = entry.object { for (_, other) in known(of: object) { latest = max(latest, other.stamp) } }
    // A stamp from an archive may be any number.
    return max(latest &+ 1, UInt64(clamping: scene.now()))
  }
}
