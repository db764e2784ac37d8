import RepriseLog
import RepriseObjectModel

/// The reason why a store does not follow its shared log any more.
package enum SharedLogError: Error, Hashable, Sendable {
  /// The shared log has other packets than the store, for example because a backup of it was restored.
  case rolledBack
  /// The shared log no longer has the packets after the store's place.
  case released
  /// A packet cannot be applied.
  case packet(reason: String)
  /// The store did not share its log yet, and the shared log has packets already.
  case exists
  /// The store has work in progress that only one machine may do.
  case unfinished(work: String)
}

extension SharedLogError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  package var description: String {
    switch self {
    case .rolledBack:
      "the shared log has other transactions than this store. Somebody may have restored a backup of the shared log. "
        + "Begin with a new seed"
    case .released:
      "the shared log has dropped transactions that this store lacks. Begin with a new seed"
    case .packet(let reason): reason
    case .exists:
      "other stores share this log already. Begin with a seed, which one of them makes"
    case .unfinished(let work): "\(work). Open the store without sharing it, and wait until this is done"
    }
  }
}
