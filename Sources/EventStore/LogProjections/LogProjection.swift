import RepriseLog
import RepriseObjectModel

/// Rows that a program derives from the log, for example counters, statistics, or an outbox for another system.
///
/// A save writes the rows in the same commit as its transaction, so the rows are neither behind the saved state nor
/// ahead of it. If programs without the projection save, the next program that has it brings the rows up to date.
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
/// The rows must follow from the transactions alone, and not from the process or the time that applies them. So `apply`
/// must use no clock, no random number and no other store.
public protocol LogProjection: Sendable {
  /// The name of the rows in the store; 1 to 200 bytes. Never give it to another projection.
  var name: String { get }
  /// The version of ``apply(_:to:)``. Raise it whenever `apply` makes other rows from the same log. All rows are then
  /// made again.
  var version: Int { get }
  /// Whether rows can be read at past positions. If true, the store keeps each version of each row, and a context reads
  /// the rows at its position. If false, which is the default, every context reads the rows at the head, and a
  /// ``PastContext`` throws ``ProjectionError/headOnly(name:)``.
  var keepsHistory: Bool { get }
  /// The transactions and changes that `apply` receives. All by default.
  var filter: TransactionFilter { get }

  /// Changes the rows for one transaction.
  ///
  /// The call runs in commits while saves wait, so it must be quick, and must not save or read contexts. If it throws,
  /// the save still succeeds. The rows then stay as they were before the transaction, and reads throw
  /// ``ProjectionError/failed(name:at:reason:)``.
  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) throws
}

extension LogProjection {
  /// False by default: only the rows at the head can be read.
  public var keepsHistory: Bool { false }
  /// All transactions with all changes, by default.
  public var filter: TransactionFilter { TransactionFilter() }
}

/// A row of a projection, with its key and its value.
public struct ProjectionRow: Equatable, Sendable {
  /// The key of the row, which orders the rows: first by its first value, then by its second value, and so on. Values
  /// are in the order of an index, and texts in the order of their Unicode scalars.
  public let key: [PropertyValue]
  /// The value that the projection gave the row.
  public let value: [PropertyValue]
}
