/// Which edits of one property, made one after the other, become one step of undo.
///
/// ```swift
/// editor.undoCoalescing = .byWord()
/// ```
///
/// An edit of another property or object, ``EditingContext/group(_:_:)``, a save, an undo or a redo ends a step under
/// any of these rules, and so does ``EditingContext/breakUndoCoalescing()``.
public struct UndoCoalescing: Sendable {
  enum Rule: Sendable {
    case never
    case byProperty
    case byWord(pause: Duration, now: @Sendable () -> Duration)
  }

  let rule: Rule

  /// None: each assignment is a step.
  public static let never = UndoCoalescing(rule: .never)

  /// All of them, however long they take. The default.
  public static let byProperty = UndoCoalescing(rule: .byProperty)

  /// Those that type or delete one word, as editors do.
  ///
  /// Of a text, an assignment goes on with the step if it inserts text where the last one ended, or deletes text beside
  /// what the last one deleted. A space or a line break after a word begins a step: after "to be", undo leaves "to".
  /// Text of several words that is inserted at once, as a paste is, is a step of its own, and so is an assignment that
  /// replaces text by other text. The rules are those of Visual Studio Code, and the pause is that of ProseMirror.
  ///
  /// Of other values, all assignments without a pause are one step, such as those of a slider that is dragged.
  ///
  /// Costs a comparison of the two texts, O(their length), for each assignment.
  ///
  /// - Parameters:
  ///   - pause: After so long without an assignment, the next one begins a step.
  ///   - clock: What measures the pause: another one for tests.
  public static func byWord<C: Clock>(
    pause: Duration = .milliseconds(500), clock: C = ContinuousClock()
  ) -> UndoCoalescing where C.Duration == Duration {
    let start = clock.now
    return UndoCoalescing(rule: .byWord(pause: pause, now: { start.duration(to: clock.now) }))
  }
}
