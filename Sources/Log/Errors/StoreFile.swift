/// A file of a store that is there as long as a process has the store open.
public enum StoreFile: String, Hashable, Sendable {
  /// The log and the objects.
  case data = "data.mdb"
  /// The locks.
  case lock = "lock.mdb"
}
