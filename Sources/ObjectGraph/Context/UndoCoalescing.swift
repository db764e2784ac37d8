/// The rule that joins consecutive edits of one property into one undo step.
///
/// ```swift
/// editor.undoCoalescing = .byWord()
/// ```
///
/// Some events always end a step: an edit of another property or object, ``EditingContext/group(_:_:)``, a save, an
/// undo, a redo, and ``EditingContext/breakUndoCoalescing()``.
public struct UndoCoalescing: Sendable {
  enum Rule: Sendable {
    case never
    case byProperty
    case byWord(pause: Duration, now: @Sendable () -> Duration)
  }

  let rule: Rule

  /// Each assignment is a step of its own.
  public static let never = UndoCoalescing(rule: .never)

  /// All consecutive assignments to one property are one step, however long they take (the default).
  public static let byProperty = UndoCoalescing(rule: .byProperty)

  /// Consecutive assignments that type or delete one word are one step, as in text editors.
  ///
  /// For texts, an assignment continues the step if it inserts text where the previous one ended, or deletes text next
  /// to the previous deletion. A space or a line break after a word begins a new step. For example, after "to be", undo
  /// leaves "to". Inserting several words at once, as a paste does, is a step of its own, and so is replacing text. The
  /// rules come from Visual Studio Code, and the default pause from ProseMirror.
  ///
  /// For other values, all assignments without a pause are one step. For example, dragging a slider is one step.
  ///
  /// Compares the old and new text for each assignment, in time proportional to their length.
  ///
  /// - Parameters:
  ///   - pause: The time without an assignment after which the next one begins a new step.
  ///   - clock: The clock that measures the pause. Tests can pass their own.
  public static func byWord<C: Clock>(
    pause: Duration = .milliseconds(500), clock: C = ContinuousClock()
  ) -> UndoCoalescing where C.Duration == Duration {
    let start = clock.now
    return UndoCoalescing(rule: .byWord(pause: pause, now: { start.duration(to: clock.now) }))
  }
}
