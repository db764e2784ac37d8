import RepriseObjectModel

/// Why the rows of a projection could not be read or kept. The log and the objects are not concerned.
@nonexhaustive
public enum ProjectionError: RepriseError, Hashable {
  /// It was not installed in this store by this process.
  case notInstalled(name: String)
  /// Its rows are still being made from the log; `done` goes from 0 to 1.
  case unfinished(name: String, done: Double)
  /// A newer version of it has made the rows, which this one must not touch.
  case newerVersion(name: String, found: Int, own: Int)
  /// The name is empty, or longer than 200 bytes.
  case invalidName(String)
  /// Its `apply` threw an error, or a row has a key longer than 480 bytes. The rows stay as they were before this
  /// transaction.
  case failed(name: String, at: Position, reason: String)
  /// It keeps rows of the head only, and was asked for the past.
  case headOnly(name: String)
}

extension ProjectionError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .notInstalled(let name):
      "This process has not installed the projection '\(name)'. Call `store.install(_:)` once after opening."
    case .unfinished(let name, let done):
      "The rows of the projection '\(name)' are still being made (\(Int(done * 100)) %). Try again, or wait with "
        + "`store.waitForProjections()`."
    case .newerVersion(let name, let found, let own):
      "The rows of the projection '\(name)' are those of version \(found), and this program has \(own). Update it."
    case .invalidName(let name): "'\(name)' is no name for a projection: it must have 1 to 200 bytes."
    case .failed(let name, let position, let reason):
      "The projection '\(name)' could not take up transaction \(position): \(reason). Its rows stay as they were "
        + "before. Mend it, and raise its version if what it made before was wrong."
    case .headOnly(let name):
      "The projection '\(name)' keeps rows of the head only. Declare `keepsHistory`, and raise its version."
    }
  }
}
