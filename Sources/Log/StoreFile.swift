/// A file that a store needs as long as a process has the store open.
public enum StoreFile: String, Equatable, Sendable {
  /// The file with the log and the objects.
  case data = "data.mdb"
  /// The file with the locks of readers and writers.
  case lock = "lock.mdb"
}
