import RepriseLog
import RepriseSystem

/// The part of its log that a store keeps; see ``TransactionLog/retain(_:progress:)``.
public struct Retention: Equatable, Sendable {
  enum Rule: Equatable, Sendable {
    case from(Position)
    case last(Int)
    case age(microseconds: Int64)
  }

  let rule: Rule

  /// Keeps the transactions from a position on.
  public static func from(_ position: Position) -> Retention { Retention(rule: .from(position)) }

  /// Keeps the last `count` transactions, at least one.
  public static func last(_ count: Int) -> Retention { Retention(rule: .last(max(1, count))) }

  /// Keeps the transactions of the last `age`, up to now. For example, `.younger(than: .seconds(90 * 24 * 3_600))`
  /// keeps 90 days.
  ///
  /// The rule uses the times of the saves, and not dates that an import gave to transactions
  /// (``LoggedTransaction/microseconds``). Now is the time of this process's clock. If a clock was wrong, `retain`
  /// keeps each transaction that may be younger:
  ///
  /// - It looks for the last old transaction with a time that is not before the time of any earlier one, and deletes up
  ///   to this transaction. For example, a transaction that a device dated 1970 stays until a later transaction is old.
  /// - It keeps the first younger transaction, and all transactions after it.
  /// - A transaction with a time after now is from a clock that was ahead. `retain` deletes it together with the next
  ///   old transaction.
  ///
  /// If one of these rules keeps an old transaction, ``RetentionReport/blockedBy`` contains
  /// ``RetentionReport/Blocker/clock(_:)``.
  public static func younger(than age: Duration) -> Retention {
    Retention(rule: .age(microseconds: age.microseconds))
  }
}

/// The result of ``TransactionLog/retain(_:progress:)``.
public struct RetentionReport: Equatable, Sendable {
  /// Something that still needed transactions that the rule would drop.
  @nonexhaustive
  public enum Blocker: Equatable, Sendable {
    /// A context or a list of any process that shows this position.
    case context(Position)
    /// A projection that has processed the transactions up to this position only.
    case projection(name: String, Position)
    /// A remote source that has recorded that it has processed the transactions up to this position.
    case remoteSource(name: String, Position)
    /// An index that is being built, and follows the log from this position on.
    case index(Position)
    /// A clock that was wrong. The transaction after this position has a time in the future, or a later transaction has
    /// a time before the limit of the age. `retain` keeps the transactions after this position, because their true age
    /// is not known.
    case clock(Position)
  }

  /// The position of the first transaction that the log has after the call, as ``TransactionLog/firstPosition``.
  public let firstPosition: Position
  /// The number of transactions that the call has dropped.
  public let droppedTransactions: Int
  /// The reasons why the call kept transactions that the rule would drop; empty if there are none. Each description has
  /// the next step. Call `retain` again when the listed contexts, projections, sources or indexes no longer need the
  /// transactions.
  public let blockedBy: [Blocker]
}

extension RetentionReport.Blocker: CustomStringConvertible {
  /// The cause, and your next step.
  public var description: String {
    switch self {
    case .context(let position):
      "A context or a list shows the store after transaction \(position), and needs all later transactions. Refresh "
        + "the context, or release it."
    case .projection(let name, let position):
      "The projection '\(name)' has processed the log only up to transaction \(position). Install the projection, and "
        + "wait with `TransactionLog.waitForProjections()`."
    case .remoteSource(let name, let position):
      "The remote source '\(name)' has processed the log only up to transaction \(position). Call `synchronize()` of "
        + "the source."
    case .index(let position):
      "An index is being built from the transactions after transaction \(position). Keep the store open until the "
        + "index is ready."
    case .clock(let position):
      "A clock was wrong, so a transaction after transaction \(position) may be younger than the age that you passed. "
        + "Wait until the later transactions are older, too, or use `Retention.from(_:)`."
    }
  }
}

extension RetentionReport.Blocker {
  /// The position whose state is needed, with all transactions after it.
  var position: Position {
    switch self {
    case .context(let position), .index(let position), .clock(let position): position
    case .projection(_, let position), .remoteSource(_, let position): position
    }
  }
}
