/// The effect on the objects at the other end of a relationship when an object is deleted.
public enum DeleteRule: UInt8, Hashable, Sendable {
  /// The objects stay, and no longer refer to the deleted object.
  case nullify = 1
  /// The objects are deleted too, in the same transaction.
  case cascade = 2
  /// The objects stay unchanged, and the save throws if there are any.
  ///
  /// Before the save, delete all of these objects or make them refer to other objects.
  case deny = 3
  /// The objects stay unchanged.
  ///
  /// Before the save, change or delete all of these objects. If one still refers to the deleted object, the save
  /// throws.
  case noAction = 4
}

extension DeleteRule {
  /// Whether the rule leaves the objects at the other end as they are, so that the save must be checked instead.
  package var leavesReferences: Bool { self == .deny || self == .noAction }
}
