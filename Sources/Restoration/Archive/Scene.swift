import RepriseEventStore

/// The scene that is restored: its archive, and how far its restoration has come.
@MainActor final class Scene {
  enum Phase {
    case registering
    case restoring
    case restored
    case ended
  }

  /// Names the archive.
  let name: String
  let storage: any ArchiveStorage
  let appVersion: String
  /// The wall clock, in microseconds since 1970.
  let now: () -> Int64
  let breaker = CrashBreaker()
  var phase = Phase.registering
  /// Called with what could not be kept.
  var onProblem: ((RestorationError) -> Void)?
  /// Whether the archive is this one's.
  private var isClaimed = false

  init(_ name: String, _ storage: any ArchiveStorage, appVersion: String, now: @escaping () -> Int64) {
    self.name = name
    self.appVersion = appVersion
    self.storage = storage
    self.now = now
  }

  func claim(for owner: any SceneOwner) throws(RestorationError) {
    if isClaimed { return }
    do throws(StoreError) { isClaimed = try storage.claim(name, for: owner) } catch { throw .store(error) }
    if !isClaimed { throw .sceneInUse(name) }
  }

  /// Takes note that the scene is restored from here on.
  func beginLaunch() { breaker.begin(LaunchLog(storage.launchFile(of: name)), appVersion: appVersion) }

  func release(for owner: any SceneOwner) {
    guard isClaimed else { return }
    isClaimed = false
    storage.release(name, for: owner)
  }

  func requireRestored(_ what: String) throws(RestorationError) {
    if phase == .ended { throw .ended(name) }
    guard phase == .restored else { throw .notRestored(what) }
  }
}
