import RepriseObjectModel
import RepriseSystem

extension SharedLog {
  /// How a store follows its shared log. Counts begin with the opening of the store, and concern this process.
  public struct Status: Sendable {
    /// The ID of the log, which names it in the system that keeps it. `nil` if the store is not open.
    public let log: UniqueID?
    /// The last packet that the store has. `nil` if the store is not open, or cannot be read.
    public let place: LogPlace?
    /// Whether this process reads the packets of other machines. One process of a machine does this for a store, and
    /// the other processes see its commits.
    public let isFollower: Bool
    /// The time since the store last had all packets of the shared log. `nil` if this has not been so yet, or if
    /// another process of the machine reads the packets. While the connection works, it stays below a second.
    public let staleness: Duration?
    /// The packets of this process that wait for an answer. One packet has the saves of up to 256 transactions.
    public let waiting: Int
    /// The packets of this process that the shared log has taken.
    public let appended: Int
    /// The packets of other machines that this process has applied.
    public let followed: Int
    /// How often other servers were faster, so that saves were planned again.
    public let lostRaces: Int
    /// How often the shared log did not say whether it has a packet.
    public let unknownAnswers: Int
    /// The last error of the connection. `nil` while the connection works. The store tries again at least once a
    /// second.
    public let problem: String?
    /// The reason why the store does not follow the shared log any more. `nil` if it does. Saves throw this reason.
    /// Close the store to recover.
    public let failure: SharedLogError?
  }

  struct Counts {
    var appended = 0
    var followed = 0
    var lostRaces = 0
    var unknownAnswers = 0
    var isFollower = false
    /// When the store last had all packets, in the time of ``WakeUp``.
    var upToDate: UInt64?
  }

  /// How the store follows the shared log now. Reads one row of the store. O(1).
  public var status: Status {
    let state = state.withLock { $0 }
    let counts = state.counts
    let elapsed = counts.upToDate.map { Duration.nanoseconds(WakeUp.now() - $0) }
    return Status(
      log: state.replica?.store.logID, place: state.replica.flatMap { try? $0.place() }, isFollower: counts.isFollower,
      staleness: counts.isFollower ? elapsed : nil, waiting: state.appends.count, appended: counts.appended,
      followed: counts.followed, lostRaces: counts.lostRaces, unknownAnswers: counts.unknownAnswers,
      problem: state.problem, failure: state.failure)
  }
}
