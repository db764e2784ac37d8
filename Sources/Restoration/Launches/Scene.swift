import RepriseEventStore

/// The scene that is restored: its archive, and the phase of its restoration.
final class Scene {
  enum Phase {
    case registering
    case restoring
    case restored
    case ended
  }

  /// The name of the archive in the storage.
  let name: String
  /// The program's name for the scene.
  let shownName: String
  let storage: any ArchiveStorage
  /// The actor that the scene belongs to.
  let isolation: any Actor
  /// The archive's storage, and the other stores that screens edit.
  let stores: EditedStores
  let appVersion: String
  /// The wall clock, in microseconds since 1970.
  let now: () -> Int64
  /// Waits, by the clock of the deadlines.
  let sleep: @Sendable (Duration) async throws -> Void
  let breaker: CrashBreaker
  var phase = Phase.registering
  /// Whether the scene is to end as soon as its restoration is over.
  var endsWhenRestored = false
  /// Whether the program reports when the scene is displayed.
  var awaitsDisplay = false
  /// Whether nothing is restored before the store is open.
  var waitsForStore = true
  /// Called with each change that could not be written.
  var onProblem: ((RestorationError) -> Void)?
  /// Whether this scene has claimed the archive.
  private var isClaimed = false
  /// Whether another process has the archive, so that this scene writes nothing.
  private(set) var isReadOnly = false

  init(
    _ shownName: String, _ storage: any ArchiveStorage, in isolation: any Actor, appVersion: String,
    now: @escaping () -> Int64, sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    name = SceneName.stored(shownName)
    self.shownName = shownName
    self.appVersion = appVersion
    self.storage = storage
    self.isolation = isolation
    stores = EditedStores(storage, in: isolation)
    breaker = CrashBreaker(in: isolation)
    self.now = now
    self.sleep = sleep
  }

  /// - Parameter conflict: The policy if another process has the scene.
  nonisolated(nonsending) func claim(
    for owner: any SceneOwner, _ conflict: SceneConflictPolicy
  ) async throws(RestorationError) {
    do throws(StoreError) {
      if waitsForStore { try await storage.ready() } else { try await storage.scenesReady() }
    } catch {
      throw .store(error)
    }
    if try take(for: owner) { return }
    switch conflict {
    case .refuse: throw inUse
    case .readOnly: isReadOnly = true
    case .takeOver:
      guard storage.ask(for: name, in: isolation) else { throw inUse }
      for _ in 0..<1_000 {
        if try take(for: owner) { return }
        try? await Task.sleep(nanoseconds: 5_000_000)
      }
      throw inUse
    }
  }

  private var inUse: RestorationError {
    .sceneInUse(shownName, process: LaunchLog(storage.launchFile(of: name)).read()?.holder)
  }

  private func take(for owner: any SceneOwner) throws(RestorationError) -> Bool {
    if isClaimed { return true }
    do throws(StoreError) { isClaimed = try storage.claim(name, for: owner) } catch { throw .store(error) }
    return isClaimed
  }

  /// The problem to report if the launch file was not read, because another user may have written it. Then nothing is
  /// known about the last launches.
  private(set) var refusedNote: [String] = []

  /// Takes note that the scene is restored from here on.
  func beginLaunch() {
    if isReadOnly { return }
    let file = storage.launchFile(of: name)
    breaker.begin(LaunchLog(file), appVersion: appVersion, awaitsDisplay: awaitsDisplay)
    if file.isRefused {
      refusedNote = [
        "A file of the store records how earlier launches of the scene ended. The library replaces this file without "
          + "reading it, because another user owns or can write it. Let only the program's user write the store's "
          + "folder."
      ]
    }
    breaker.watchPreview(stores.all)
  }

  func release(for owner: any SceneOwner) {
    guard isClaimed else { return }
    isClaimed = false
    storage.release(name, for: owner)
  }

  func requireRestored(_ call: String = #function) throws(RestorationError) {
    if phase == .ended { throw .ended(shownName) }
    guard phase == .restored else { throw .notRestored(call) }
  }
}
