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
    /// Whether the next change is told.
    var isWatching = false

    /// How far a launch has come that goes on.
    var stage: LaunchNote.Stage { isUndisplayed ? .restoring : .restored }
  }

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
  /// - Parameter watch: Has ``changed()`` called when something is next changed. Not called if it will be already.
  /// - Returns: What ``ended(_:)`` wants to know.
  func willEnd(_ watch: (@escaping @Sendable () -> Void) -> Void) -> Int {
    let (changes, isNew) = state.withLock { state in
      defer { state.isWatching = true }
      return (state.changes, !state.isWatching)
    }
    if isNew { watch { [self] in changed() } }
    return changes
  }

  /// Everything was kept; unless it was changed since ``willEnd(_:)``, the launch may end here.
  func ended(_ changes: Int) {
    state.withLock { state in
      guard state.changes == changes, state.note.stage == state.stage else { return }
      state.note.stage = .ended
      file.write(state.note.encoded())
    }
  }

  /// A preview was written; it shows the scene as it is unless something was changed since ``willEnd(_:)``.
  func kept(preview: UInt64, _ changes: Int) {
    state.withLock { state in
      guard state.changes == changes else { return }
      state.note.preview = preview
      file.write(state.note.encoded())
    }
  }

  private func changed() {
    state.withLock { state in
      state.changes += 1
      state.isWatching = false
      guard state.note.stage == .ended || state.note.preview != 0 else { return }
      if state.note.stage == .ended { state.note.stage = state.stage }
      state.note.preview = 0
      file.write(state.note.encoded())
    }
  }
}
