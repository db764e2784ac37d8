import RepriseLog

/// How much of its log a store keeps; see ``TransactionLog/retain(_:progress:)``.
public struct Retention: Hashable, Sendable {
  enum Rule: Hashable, Sendable {
    case from(Position)
    case last(Int)
    case age(microseconds: Int64)
  }

  let rule: Rule

  /// The transactions from a position on.
  public static func from(_ position: Position) -> Retention { Retention(rule: .from(position)) }

  /// The last transactions, so many of them; at least one.
  public static func last(_ count: Int) -> Retention { Retention(rule: .last(max(1, count))) }

  /// The transactions that were saved within this time before now, and all transactions after the first of these.
  ///
  /// Uses the times at which transactions were saved, not the dates that an import gave them
  /// (``LoggedTransaction/microseconds``), and the clock of this process for now. If a clock was wrong, `retain` keeps
  /// each transaction that may be younger:
  ///
  /// - It deletes up to the last transaction that is older and whose time is not before that of an earlier one.
  ///   So a transaction that a device dated 1970 stays until a later transaction is old.
  /// - It deletes nothing from the first transaction on that is younger.
  /// - A time after now was that of a clock that was ahead. Such a transaction goes with the next one that is older.
  ///
  /// ``RetentionReport/blockedBy`` has ``RetentionReport/Blocker/clock(_:)`` if this keeps a transaction.
  public static func younger(than age: Duration) -> Retention {
    let (seconds, attoseconds) = age.components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflow { return Retention(rule: .age(microseconds: seconds < 0 ? 0 : .max)) }
    let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return Retention(rule: .age(microseconds: isBeyond ? .max : max(0, sum)))
  }
}

/// What ``TransactionLog/retain(_:progress:)`` did.
public struct RetentionReport: Hashable, Sendable {
  /// What needed transactions that were to be dropped.
  @nonexhaustive
  public enum Blocker: Hashable, Sendable {
    /// A context or a list, of any process, that shows an older position.
    case context(Position)
    /// A projection, which has not taken up what comes after this position.
    case projection(name: String, Position)
    /// A remote source, which has noted that it has taken up what was saved up to this position.
    case remoteSource(name: String, Position)
    /// An index that is being built, and follows the log from this position on.
    case index(Position)
    /// Clocks that were wrong. By its date, a transaction after this position is older than the age, or the next one is
    /// of the future. It may be younger.
    case clock(Position)
  }

  /// The position of the first transaction that the log has now, as ``TransactionLog/firstPosition``.
  public let firstPosition: Position
  /// How many transactions the call has dropped.
  public let droppedTransactions: Int
  /// What kept transactions that were to be dropped; empty if nothing did. Once it has gone on, another call drops the
  /// rest.
  public let blockedBy: [Blocker]
}

extension RetentionReport.Blocker {
  /// The state there is needed, with all transactions after it.
  var position: Position {
    switch self {
    case .context(let position), .index(let position), .clock(let position): position
    case .projection(_, let position), .remoteSource(_, let position): position
    }
  }
}
