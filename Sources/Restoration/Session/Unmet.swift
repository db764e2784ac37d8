import RepriseEventStore

/// Why something that a node or a registered object needs cannot be had.
enum Unmet: Error {
  /// It is registered late and not ready.
  case waiting(String)
  /// Nobody registered it.
  case missing(String)
  /// Its factory found nothing to restore.
  case nothing(String)
  case failed(String)
  case draft(DraftError)
  case factory(any Error)

  var outcome: RestorationReport.Outcome {
    switch self {
    case .waiting(let key): .pending(key: key)
    case .missing(let key): .unresolved("nothing is registered as '\(key)'")
    case .nothing(let key): .skipped(reason: "'\(key)' could not be restored")
    case .failed(let reason): .failed(reason: reason)
    case .draft(let error): .failed(reason: error.description)
    case .factory(let error): .failed(reason: "its factory threw: \(error)")
    }
  }

  func error(at path: NodePath) -> RestorationError {
    switch self {
    case .waiting(let key): .notReady(key: key, path)
    case .missing(let key): .missing(key: key, path)
    case .nothing(let key): .notBuilt(path, reason: "'\(key)' could not be restored")
    case .failed(let reason): .notBuilt(path, reason: reason)
    case .draft(let error): .draft(path, error)
    case .factory(let error): .factory(path, error)
    }
  }
}
