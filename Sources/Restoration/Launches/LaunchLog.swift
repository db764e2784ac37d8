import RepriseSystem

/// Keeps the note of this launch in a file or in memory that outlives the process. Can be called on any thread, because
/// edits happen on many, and a signal is handled on another one.
final class LaunchLog: Sendable {
  private let file: any LaunchFile
  private let state = Guarded(State())

  private struct State: Sendable {
    var note = LaunchNote()
    /// Whether the program still has to report that the scene is displayed.
    var isUndisplayed = false
    /// The number of changes after everything was written.
    var changes = 0
    /// Whether the scene was released. Then the file may belong to the next owner.
    var isOver = false
    /// The watches that are called for the next change, by store.
    var watches: [ObjectIdentifier: WeakWatch] = [:]

    /// The stage of a launch that continues.
    var stage: LaunchNote.Stage { isUndisplayed ? .restoring : .restored }
  }

  /// Retained by the store until it reports its next change, or is freed.
  private final class Watch: Sendable {
    let store: ObjectIdentifier
    init(_ store: ObjectIdentifier) { self.store = store }
  }

  private struct WeakWatch: Sendable { weak var watch: Watch? }

  init(_ file: any LaunchFile) { self.file = file }

  /// The note of the launch before. `nil` if there is none.
  func read() -> LaunchNote? { file.read().flatMap(LaunchNote.init) }

  var hasPreview: Bool { state.withLock { $0.note.preview != 0 } }

  var making: String { state.withLock { $0.note.making } }

  /// Changes the note, and writes it.
  func note(_ change: (inout LaunchNote) -> Void) {
    state.withLock { state in
      if state.isOver { return }
      change(&state.note)
      file.write(state.note.encoded())
    }
  }

  /// Notes that an object was made. The note is not written, because no code of the program runs before the next note.
  func madeOne() { state.withLock { $0.note.making = "" } }

  /// Call this once all objects that can be made are made. The launch has then succeeded. If the program reports that
  /// objects are displayed, the launch succeeds only then.
  func made() {
    state.withLock { state in
      if state.isOver { return }
      state.note.stage = state.stage
      state.note.making = ""
      if state.stage == .restored { state.note.deaths = 0 }
      file.write(state.note.encoded())
    }
  }

  /// Sets whether the program still has to report that the scene is displayed.
  func awaitDisplay(_ isUndisplayed: Bool) { state.withLock { $0.isUndisplayed = isUndisplayed } }

  // MARK: A clean exit, and a preview

  /// Call this before the final flush. Later changes are not part of it.
  ///
  /// - Parameter stores: The stores whose changes count.
  /// - Returns: The argument of ``ended(_:)``.
  func willEnd(_ stores: [any DraftStorage]) -> Int {
    let changes = state.withLock { $0.changes }
    watch(stores)
    return changes
  }

  /// Counts the next change in these stores. Watching a store twice has no further effect.
  func watch(_ stores: [any DraftStorage]) {
    for store in stores {
      let watch = Watch(store.identity)
      let isNew = state.withLock { state in
        if state.watches[watch.store]?.watch != nil { return false }
        state.watches[watch.store] = WeakWatch(watch: watch)
        return true
      }
      if isNew { store.whenChanged { [self] in changed(watch) } }
    }
  }

  /// Call this after the final flush. Notes a clean end, unless something has changed since ``willEnd(_:)``, whose
  /// result is the argument.
  func ended(_ changes: Int) {
    state.withLock { state in
      guard state.changes == changes, state.note.stage == state.stage, !state.isOver else { return }
      state.note.stage = .ended
      file.write(state.note.encoded())
    }
  }

  /// Notes that a preview was written. It shows the present scene, unless something has changed since ``willEnd(_:)``.
  func kept(preview: UInt64, _ changes: Int) {
    state.withLock { state in
      guard state.changes == changes, !state.isOver else { return }
      state.note.preview = preview
      file.write(state.note.encoded())
    }
  }

  /// The scene is released. Later changes do not concern this launch.
  ///
  /// - Parameter isClean: Whether everything was written.
  func end(isClean: Bool) {
    state.withLock { state in
      if state.isOver { return }
      state.isOver = true
      guard isClean else { return }
      state.note.stage = .ended
      file.write(state.note.encoded())
    }
  }

  private func changed(_ watch: Watch) {
    state.withLock { state in
      if state.isOver { return }
      state.changes += 1
      if state.watches[watch.store]?.watch === watch { state.watches[watch.store] = nil }
      guard state.note.stage == .ended || state.note.preview != 0 else { return }
      if state.note.stage == .ended { state.note.stage = state.stage }
      state.note.preview = 0
      file.write(state.note.encoded())
    }
  }
}
