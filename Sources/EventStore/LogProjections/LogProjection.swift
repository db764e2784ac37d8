import RepriseLog
import RepriseObjectModel

/// Rows of a program's own that follow from the log: counters, statistics, an outbox for another system.
///
/// A save writes the rows in the commit that writes its transaction, so they are never behind what is saved, nor ahead
/// of it. Where programs without the projection save, its rows are brought up to date by the next that has it.
///
/// ```swift
/// struct NotesByAuthor: LogProjection {
///   let name = "notes by author"
///   let version = 1
///
///   func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
///     rows[number: [.string(transaction.author ?? "")]] += transaction.inserted.count
///   }
/// }
///
/// try await store.log.install(NotesByAuthor())
/// let count = try context.number(of: NotesByAuthor(), at: [.string("Ada")])
/// ```
///
/// The rows must follow from the transactions alone, whoever applies them and when: no clock, no random number, no
/// other store.
public protocol LogProjection: Sendable {
  /// The name of the rows in the store; 1 to 200 bytes. One projection has it for ever.
  var name: String { get }
  /// Raised whenever ``apply(_:to:)`` makes other rows of the same log: then all are made anew.
  var version: Int { get }
  /// Whether rows can be read at positions of the past, as a context behind the head does. Then the store keeps each
  /// version of each row. False by default: rows are those of the head.
  var keepsHistory: Bool { get }
  /// Which transactions it is told of, and which of their changes. All by default.
  var filter: TransactionFilter { get }

  /// Changes the rows as the transaction has it.
  ///
  /// It runs in commits, while others wait to save: it must be quick, and must not save, or read contexts. If it
  /// throws, the save is not concerned; the rows stay where they are, and reading them throws
  /// ``ProjectionError/failed(name:at:reason:)``.
  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) throws
}

extension LogProjection {
  /// False: rows are those of the head.
  public var keepsHistory: Bool { false }
  /// All transactions, with all changes.
  public var filter: TransactionFilter { TransactionFilter() }
}

/// A row of a projection.
public struct ProjectionRow: Hashable, Sendable {
  /// What it is found by, and ordered by: value by value, as values are in an index, texts by their Unicode scalars.
  public let key: [PropertyValue]
  /// What it says.
  public let value: [PropertyValue]
}
