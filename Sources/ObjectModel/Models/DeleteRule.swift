/// What happens to the objects at the other end of a relationship when an object is deleted.
public enum DeleteRule: UInt8, Hashable, Sendable {
  /// They stay, and no longer refer to the deleted object.
  case nullify = 1
  /// They are deleted too, in the same transaction.
  case cascade = 2
  /// They stay as they are, and the deletion is refused at the save if there are any: all of them must have been
  /// deleted, or have been made to refer elsewhere.
  case deny = 3
  /// They stay as they are. The program sees to them: a save is refused that would leave a reference to the deleted
  /// object.
  case noAction = 4
}

extension DeleteRule {
  /// Whether the rule leaves the objects at the other end as they are, so that the save must be checked instead.
  package var leavesReferences: Bool { self == .deny || self == .noAction }
}
