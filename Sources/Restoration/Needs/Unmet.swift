import RepriseEventStore

/// The reason why a need of a node or of a registered object is not available.
enum Unmet: Error {
  /// The object of the key is registered late, and has not arrived.
  case waiting(String)
  /// Nothing is registered under the key.
  case missing(String)
  /// The factory of the key's object found nothing to restore.
  case nothing(String)
  /// There is nothing to restore, for this reason.
  case skipped(String)
  case failed(String)
  case draft(DraftError)
  case factory(any Error)
  /// The state is of another version.
  case version(StateVersionError)
  /// Making this node or object ended two launches.
  case quarantined(String)
  /// The registered object of a key is not available now, and may be later.
  indirect case object(String, Unmet)

  /// Why a registered object cannot have a need that only nodes have.
  static var nodesOnly: String {
    "a registered object can only need `.registered` with a fixed key, or `.backReference`"
  }

  /// The key of the object that a node waits for.
  var key: String? {
    switch self {
    case .waiting(let key), .missing(let key), .object(let key, _): key
    default: nil
    }
  }

  var outcome: RestorationReport.Outcome {
    switch self {
    case .waiting(let key): .pending(key: key)
    case .missing(let key): .unresolved("nothing is registered as '\(key)'")
    case .nothing(let key): .skipped(reason: "the factory of the object '\(key)' returned nil")
    case .skipped(let reason): .skipped(reason: reason)
    case .failed(let reason): .failed(reason: reason)
    case .draft(let error): .failed(reason: error.description)
    case .factory(let error): .failed(reason: "its factory threw: \(error)")
    case .version(.newer(let reason)): .unresolved(reason)
    case .version(.failed(let reason)): .failed(reason: reason)
    case .version(.givenUp(let reason)): .skipped(reason: reason)
    case .quarantined(let what): .quarantined(reason: "the last two launches ended while making \(what)")
    case .object(_, let why): why.outcome
    }
  }

  /// The error of a factory. If the factory opened a node that has to wait, its own node waits for the same object.
  static func thrown(_ error: any Error) -> Unmet {
    switch error as? RestorationError {
    case .notReady(let key, _): .waiting(key)
    case .missing(let key, _): .missing(key)
    default: .factory(error)
    }
  }

  func error(at path: NodePath) -> RestorationError {
    switch self {
    case .waiting(let key): .notReady(key: key, path)
    case .missing(let key): .missing(key: key, path)
    case .nothing(let key): .notBuilt(path, reason: "the factory of the object '\(key)' returned nil")
    case .skipped(let reason), .failed(let reason): .notBuilt(path, reason: reason)
    case .draft(let error): .draft(path, error)
    case .factory(let error): .factory(path, error)
    case .version(let error): .notBuilt(path, reason: error.reason)
    case .quarantined(let what): .notBuilt(path, reason: "the last two launches ended while making \(what)")
    case .object(_, let why): why.error(at: path)
    }
  }
}
