import RepriseEventStore

/// Why the files of a folder could not be listed: the error of `LoadState.failed`.
@nonexhaustive
public enum DirectoryError: RepriseError, Hashable {
  /// There is no such folder, or not any more.
  case notFound(path: String)
  /// There is something else at that path.
  case notADirectory(path: String)
  /// This program may not list it.
  case notReadable(path: String)
  /// There are more folders below, or more sources, than the system watches for one user.
  case tooManyWatches(path: String)
  /// Another call of the system failed.
  case system(path: String, operation: String, code: Int32, message: String)

  /// What happened, where, and what to do next.
  public var description: String {
    let again = "It is looked at again every second."
    return switch self {
    case .notFound(let path): "There is no folder at '\(path)'. \(again)"
    case .notADirectory(let path): "'\(path)' is no folder. \(again)"
    case .notReadable(let path): "The folder '\(path)' may not be listed: give this program the right to. \(again)"
    case .tooManyWatches(let path):
      "The system does not watch all folders below '\(path)': raise fs.inotify.max_user_watches, or "
        + "max_user_instances if there are many sources, or let the source look at all files regularly. \(again)"
    case .system(let path, let operation, let code, let message):
      "The system failed in \(operation) the folder '\(path)': \(message) (\(code)). \(again)"
    }
  }
}
