import RepriseLog
import RepriseObjectModel

/// The reason why the rows of a projection could not be read or updated. The log and the objects are not affected.
@nonexhaustive
public enum ProjectionError: RepriseError, Equatable {
  /// This process has not installed the projection in this store.
  ///
  /// Reads of rows throw it. Call `TransactionLog.install(_:)` once after opening.
  case notInstalled(name: String)
  /// The rows are still being made from the log. `done` goes from 0 to 1.
  ///
  /// Reads of rows throw it. Try again, or wait with `TransactionLog.waitForProjections()`.
  case unfinished(name: String, done: Double)
  /// A newer version of the projection has made the rows, and this version must not change them. If `found` and `own`
  /// are equal, another program has made the rows with a different `keepsHistory`.
  ///
  /// `TransactionLog.install(_:)` and reads of rows throw it. Update the program.
  case newerVersion(name: String, found: Int, own: Int)
  /// The name is empty, or longer than 200 bytes.
  ///
  /// `TransactionLog.install(_:)` throws it. Choose another name.
  case invalidName(String)
  /// The projection's `apply` threw an error, or a row has a key longer than 480 bytes. The rows stay as they were
  /// before this transaction.
  ///
  /// Reads of rows and `TransactionLog.waitForProjections()` throw it. Correct the projection, and raise its version.
  case failed(name: String, at: Position, reason: String)
  /// The projection keeps rows of the head only, and rows of the past were read.
  ///
  /// Reads in a past context throw it. Declare `keepsHistory`, and raise the version.
  case headOnly(name: String)
}

extension ProjectionError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .notInstalled(let name):
      "This process has not installed the projection '\(name)'. Call `TransactionLog.install(_:)` once after opening."
    case .unfinished(let name, let done):
      "The rows of the projection '\(name)' are still being computed from the log (\(Int(done * 100)) %). Try again, "
        + "or wait with `TransactionLog.waitForProjections()`."
    case .newerVersion(let name, let found, let own) where found == own:
      "Another program has installed version \(own) of the projection '\(name)' with a different `keepsHistory`. "
        + "Install the same projection in all programs, and raise its `version`."
    case .newerVersion(let name, let found, let own):
      "The stored rows of the projection '\(name)' have version \(found), and this program has version \(own) of the "
        + "projection. Update the program."
    case .invalidName(let name):
      "'\(name.prefix(40))' cannot be the name of a projection. Use a name of 1 to 200 bytes."
    case .failed(let name, let position, let reason):
      "The projection '\(name)' could not apply transaction \(position): \(reason). Its rows stay as they were before "
        + "this transaction. If its `apply` is at fault, correct it, and raise the projection's `version` if earlier "
        + "rows are wrong, too."
    case .headOnly(let name):
      "The rows of the projection '\(name)' cannot be read in a past context, because the projection keeps only the "
        + "rows of the latest save. Declare `keepsHistory` in the projection, and raise its `version`."
    }
  }
}
