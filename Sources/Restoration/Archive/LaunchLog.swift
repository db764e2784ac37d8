import RepriseSystem

/// Keeps the note of this launch where it outlives the process. Callable from any thread: edits are made on many, and a
/// signal arrives on one of its own.
final class LaunchLog: Sendable {
  private let file: any LaunchFile
  private let state = Guarded(State())

  private struct State: Sendable {
    var note = LaunchNote()
    /// How often something was changed after it had been kept.
    var changes = 0
    /// Whether the next change is told.
    var isWatching = false
  }

  init(_ file: any LaunchFile) { self.file = file }

  /// The note of the launch before; `nil` if there is none.
  func read() -> LaunchNote? { file.read().flatMap(LaunchNote.init) }

  var making: String { state.withLock { $0.note.making } }

  /// Changes the note, and writes it.
  func note(_ change: (inout LaunchNote) -> Void) {
    state.withLock { state in
      change(&state.note)
      file.write(state.note.encoded())
    }
  }

  // MARK: A clean exit

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
      guard state.changes == changes, state.note.stage == .restored else { return }
      state.note.stage = .ended
      file.write(state.note.encoded())
    }
  }

  private func changed() {
    state.withLock { state in
      state.changes += 1
      state.isWatching = false
      guard state.note.stage == .ended else { return }
      state.note.stage = .restored
      file.write(state.note.encoded())
    }
  }
}
