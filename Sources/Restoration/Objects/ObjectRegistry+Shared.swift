/// Objects with a state that several scenes have registered: each has one state, the newest.
///
/// Each scene's archive has the state, so that none needs another's; its stamp says which is the newest.
extension ObjectRegistry {
  /// The objects of a scene that was restored in this process. A class, as arrays of class instances need no new type
  /// at start.
  private final class LiveScene {
    weak var objects: ObjectRegistry?
    init(_ objects: ObjectRegistry) { self.objects = objects }
  }

  private static var liveScenes: [LiveScene] = []

  func enterScenes() {
    Self.liveScenes.removeAll { $0.objects == nil }
    Self.liveScenes.append(LiveScene(self))
  }

  /// What live scenes know of an object, this one's own first.
  private func known(of object: any RestorableScreen) -> [(scene: ObjectRegistry, entry: ObjectEntry)] {
    let others = Self.liveScenes.compactMap(\.objects).filter { $0 !== self }
    return ([self] + others).flatMap { scene in
      scene.entries.values.filter { $0.restorable === object }.map { (scene, $0) }
    }
  }

  /// Has each scene that knows the object write its state at the end of the turn.
  func markWherever(_ object: any RestorableScreen) {
    for (scene, entry) in known(of: object) { scene.changes.mark(entry) }
  }

  /// The newest state that a scene has of the object, written or not; `nil` if that is the one in `entry`. Else the
  /// state in `entry` is not to be taken up.
  func newerState(than entry: ObjectEntry, of object: any RestorableScreen) -> ObjectEntry? {
    var newest: ObjectEntry?
    for (scene, other) in known(of: object) where other !== entry {
      guard case .done = other.resolution else { continue }
      // The object may have changed since it was written.
      try? scene.takeState(of: other)
      if other.stamp > (newest ?? entry).stamp { newest = other }
    }
    return newest
  }

  /// A stamp for a state that is written now: later than all that are known, even if the clock went back.
  func stamp(for entry: ObjectEntry) -> UInt64 {
    var latest = entry.stamp
    if let object = entry.restorable { for (_, other) in known(of: object) { latest = max(latest, other.stamp) } }
    // A stamp from an archive may be any number.
    return max(latest &+ 1, UInt64(clamping: scene.now()))
  }
}
