/// Why the past of a store could not be shown.
@nonexhaustive
public enum HistoryError: RepriseError, Hashable {
  /// The log ends before the position.
  case beyondHead(Position, head: Position)
}

extension HistoryError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .beyondHead(let position, let head):
      "The log has no transaction \(position) yet: it ends with \(head). Name a position up to that."
    }
  }
}
