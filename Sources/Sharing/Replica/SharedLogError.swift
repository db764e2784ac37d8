import RepriseLog
import RepriseObjectModel

/// The reason why a store cannot share its log, or cannot follow its shared log any more.
///
/// `StoreError.sharing` and ``SharedLog/Status-swift.struct/failure`` have it.
@nonexhaustive
public enum SharedLogError: RepriseError {
  /// The shared log did not answer in time, or its transport reported an error.
  ///
  /// Openings throw it if they must write to the shared log, for example new models. Check the servers of the shared
  /// log and the network, then open the store again.
  case unavailable(reason: String)
  /// The shared log has other packets than the store, for example because a backup of it was restored.
  ///
  /// Saves throw it from then on. The store can still be read. Close it, and call
  /// `StoreMaintenance.reseed`.
  case rolledBack
  /// The shared log no longer has the packets after the store's place.
  ///
  /// Saves throw it from then on. The store can still be read. Close it, and call
  /// `StoreMaintenance.reseed`.
  case released
  /// A packet cannot be applied.
  ///
  /// Saves throw it from then on. The ``PacketError`` has the next step.
  case packet(PacketError)
  /// The store did not share its log before, and the shared log began with other transactions. Or the shared log no
  /// longer has its first packet.
  ///
  /// Openings throw it, and the store is unchanged. Begin with a seed, as another server makes it with
  /// `StoreMaintenance.makeSeed`.
  case exists
  /// No store is open with this shared log.
  ///
  /// ``SharedLog/release(upTo:)`` throws it. Open the store first.
  case closed
  /// The store does not share its log.
  ///
  /// `StoreMaintenance.makeSeed` throws it. Open the store with a shared log first.
  case notShared
  /// The store has work in progress that only one machine may do.
  ///
  /// Openings throw it. Open the store without a shared log, and wait until this work is done.
  case unfinished(work: String)
}

extension SharedLogError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .unavailable(let reason):
      "The shared log could not be reached: \(reason). Check its servers and the network, then try again."
    case .rolledBack:
      "The shared log has other transactions than this store. Somebody may have restored a backup of the shared log. "
        + "Give the store a new seed with `StoreMaintenance.reseed(_:from:)`."
    case .released:
      "The shared log has dropped transactions that this store lacks. Give the store a new seed with "
        + "`StoreMaintenance.reseed(_:from:)`."
    case .packet(let error): error.description
    case .exists:
      "Other stores share this log already, and this store has other transactions. Begin with a seed, as one of them "
        + "makes it with `StoreMaintenance.makeSeed(of:at:)`."
    case .closed: "No store is open with this shared log. Open the store first."
    case .notShared: "The store has its log alone. Open it with `Store.open(_:for:sharing:)` first."
    case .unfinished(let work):
      "There is unfinished work: \(work). Open the store without a shared log, and wait until this is done."
    }
  }
}
