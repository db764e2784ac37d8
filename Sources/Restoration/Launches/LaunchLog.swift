import RepriseSystem

/// Keeps the note of this launch where it outlives the process. Callable from any thread: edits are made on many, and a
/// signal arrives on one of its own.
final class LaunchLog: Sendable {
  private let file: any LaunchFile
  private let state = Guarded(State())

  private struct State: Sendable {
    var note = LaunchNote()
    /// Whether the program is to say that the scene is displayed, and has not yet.
    var isUndisplayed = false
    /// How often something was changed after it had been kept.
    var changes = 0
    /// Whether the scene was let go of: the file may be the next one's.
    var isOver = false
    /// Who is told of the next change, by the store in which it is made.
    var watches: [ObjectIdentifier: WeakWatch] = [:]

    /// How far a launch has come that goes on.
    var stage: LaunchNote.Stage { isUndisplayed ? .restoring : .restored }
  }

  /// Held by the store that tells of its next change, until it does or is gone.
  private final class Watch: Sendable {
    let store: ObjectIdentifier
    init(_ store: ObjectIdentifier) { self.store = store }
  }

  private struct WeakWatch: Sendable { weak var watch: Watch? }

  init(_ file: any LaunchFile) { self.file = file }

  /// The note of the launch before; `nil` if there is none.
  func read() -> LaunchNote? { file.read().flatMap(LaunchNote.init) }

  var hasPreview: Bool { state.withLock { $0.note.preview != 0 } }

  var making: String { state.withLock { $0.note.making } }

  /// Changes the note, and writes it.
  func note(_ change: (inout LaunchNote) -> Void) {
    state.withLock { state in
      change(&state.note)
      file.write(state.note.encoded())
    }
  }

  /// What was being made is made. Not written: until the next note nothing of the program runs.
  func madeOne() { state.withLock { $0.note.making = "" } }

  /// All is made that can be; the launch has come through once that is displayed, if the program says so.
  func made() {
    state.withLock { state in
      state.note.stage = state.stage
      state.note.making = ""
      if state.stage == .restored { state.note.deaths = 0 }
      file.write(state.note.encoded())
    }
  }

  /// Whether the program is to say that the scene is displayed.
  func awaitDisplay(_ isUndisplayed: Bool) { state.withLock { $0.isUndisplayed = isUndisplayed } }

  // MARK: A clean exit, and a preview

  /// Everything is about to be kept: whatever is changed from now on is not.
  ///
  /// - Parameter stores: In which changes count.
  /// - Returns: What ``ended(_:)`` wants to know.
  func willEnd(_ stores: [any DraftStorage]) -> Int {
    let changes = state.withLock { $0.changes }
    watch(stores)
    return changes
  }

  /// Counts when something is next changed in these stores. Those that are watched already are so once.
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

  /// Everything was kept; unless it was changed since ``willEnd(_:)``, the launch may end here.
  func ended(_ changes: Int) {
    state.withLock { state in
      guard state.changes == changes, state.note.stage == state.stage, !state.isOver else { return }
      state.note.stage = .ended
      file.write(state.note.encoded())
    }
  }

  /// A preview was written; it shows the scene as it is unless something was changed since ``willEnd(_:)``.
  func kept(preview: UInt64, _ changes: Int) {
    state.withLock { state in
      guard state.changes == changes, !state.isOver else { return }
      state.note.preview = preview
      file.write(state.note.encoded())
    }
  }

  /// The scene is let go of: whatever is changed later, in whatever store, is no concern of this launch.
  ///
  /// - Parameter isClean: Whether all was kept.
  func end(isClean: Bool) {
    state.withLock { state in
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
