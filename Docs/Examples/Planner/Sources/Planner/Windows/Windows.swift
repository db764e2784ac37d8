import Hummingbird
import Logging
import Reprise

/// The windows that live in this process, by name.
///
/// A window is restored when a page first asks for it. If no page shows it for a while, it sleeps: the process forgets
/// it, and its state and drafts stay in the store.
@MainActor final class Windows {
  let store: Store
  private let logger: Logger
  private var live: [WindowName: Window] = [:]
  private var restoring: [WindowName: Task<Window, any Error>] = [:]
  private var lastUse: [WindowName: ContinuousClock.Instant] = [:]
  private var isFlushing = false
  private(set) var isDraining = false

  init(_ store: Store, logger: Logger) {
    self.store = store
    self.logger = logger
  }

  func window(_ name: WindowName) async throws -> Window {
    lastUse[name] = .now
    if let window = live[name], !window.isOver { return window }
    if isDraining { throw HTTPError(.serviceUnavailable, message: "This process is ending.") }
    if let task = restoring[name] { return try await task.value }
    let task = Task {
      try await Window(name, in: store) { [weak self] window in self?.forget(window) }
    }
    restoring[name] = task
    defer { restoring[name] = nil }
    let window = try await task.value
    // Another process may have taken the window over meanwhile.
    if !window.isOver { live[name] = window }
    return window
  }

  func subscribe(page: String, to name: WindowName) async throws -> Subscriber {
    try await window(name).subscribe(page: page)
  }

  /// Applies inputs, and tells the pages once they survive a kill.
  func apply(_ batch: InputBatch, to name: WindowName) async throws -> InputAnswer {
    let answer = try await window(name).apply(batch)
    flushSoon()
    return answer
  }

  /// Writes the inputs of all windows with one flush, a tenth of a second after the first.
  private func flushSoon() {
    if isFlushing { return }
    isFlushing = true
    Task {
      try? await Task.sleep(for: .milliseconds(100))
      isFlushing = false
      if isDraining { return }
      let windows = Array(live.values)
      let inputs = windows.map { ($0, $0.inputs) }
      do {
        try await store.flush()
        for (window, inputs) in inputs { window.becameSafe(inputs) }
      } catch {
        logger.error("The inputs cannot be written: \(error)")
        for window in windows { window.notice = "Your text cannot be written: \(error)" }
      }
    }
  }

  /// Finds out which pages are gone, although nobody has closed their connections.
  func ping() {
    for window in live.values { for subscriber in window.subscribers { subscriber.ping() } }
  }

  /// Lets windows sleep that no page has shown for a while.
  func sleepWhereIdle(for duration: Duration) {
    let now = ContinuousClock.now
    for (name, window) in live where window.isIdle {
      if let last = lastUse[name], now - last < duration { continue }
      forget(window)
    }
  }

  /// Ends all windows: another process restores them. Does nothing the second time.
  func drain() async {
    if isDraining { return }
    isDraining = true
    for window in live.values { await window.finish() }
    live = [:]
    do { try await store.flush() } catch { logger.error("The windows cannot be written: \(error)") }
  }

  /// Ends a window. Its state and its drafts stay in the store.
  private func forget(_ window: Window) {
    window.end()
    if live[window.name] === window { live[window.name] = nil }
    lastUse[window.name] = nil
  }

  // MARK: Closed windows

  /// The names of the windows of a user, live or asleep.
  func names(of user: String) throws -> [WindowName] {
    try Restoration.scenes(in: store).compactMap { WindowName(scene: $0.name) }.filter { $0.user == user }
  }

  /// Removes windows that nobody has used since a moment. Their drafts stay, and their users can find them.
  ///
  /// A window with an unfinished save stays. Reads all archives and drafts.
  func expire(before moment: Int64) throws {
    let drafts = Set(try store.drafts.all().map(\.id))
    for scene in try Restoration.scenes(in: store) where !scene.isInUse && scene.archive.savedAt < moment {
      guard let name = WindowName(scene: scene.name), !drafts.contains(name.draftOfSaves) else { continue }
      try Restoration.removeScene(scene.name, in: store)
      logger.info("Removed the window \(scene.name), which nobody uses.")
    }
  }

  /// The drafts of a user that no window can show, because their windows have expired.
  func closedDrafts(of user: String) throws -> [DraftInfo] {
    let names = Set(try names(of: user))
    return try store.drafts.all().filter { draft in
      guard let name = WindowName(draft: draft.id) else { return false }
      return name.user == user && !names.contains(name) && !draft.isInUse && !draft.preview.isEmpty
    }
  }
}
