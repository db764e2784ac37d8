/// What happens to the objects at the other end of a relationship when an object is deleted.
public enum DeleteRule: UInt8, Hashable, Sendable {
  /// They stay, and no longer refer to the deleted object.
  case nullify = 1
  /// They are deleted too, in the same transaction.
  case cascade = 2
}
