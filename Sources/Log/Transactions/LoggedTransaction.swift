import RepriseObjectModel

/// A transaction of the log: its author, its time, its base, and its changes.
///
/// The values are untyped, and properties have their names in the store. Properties that no model has any more are
/// included.
public struct LoggedTransaction: Equatable, Sendable, Identifiable, Codable {
  /// The UUID that the save chose. It is the same in every copy of the log.
  public let id: UniqueID
  /// The token of the transaction. Keep it to continue after this transaction: see
  /// ``TransactionLog/feed(after:matching:)``.
  public let token: LogToken
  /// The position of the transaction in the log.
  public var position: Position { token.position }
  /// The position that the changes were based on. Other saves made the transactions between it and ``position``.
  public let base: Position
  /// The time of the save by the clock of the machine that saved, or the date that an import gave the transaction
  /// (``RootContext/transactionMicroseconds``). In microseconds since 1970-01-01 00:00:00 UTC.
  ///
  /// Order transactions by ``position`` and not by this time: clocks are set back, and an import has past dates.
  public let microseconds: Int64
  /// The author of the context; `nil` if it had none, or if the author was erased.
  public let author: String?
  /// The name of the context; `nil` if it had none, or if the name was erased.
  public let contextName: String?
  /// The name of the transaction, as in "Rename item"; `nil` if it has none, or if the name was erased.
  public let name: String?
  /// The metadata that the program saved with the transaction, without erased entries.
  public let metadata: [String: String]
  /// The position of the transaction that this one reverts; `nil` if this one is not a reversal.
  public let undoes: Position?
  /// The position of the transaction that is in effect again, because this one reverts its reversal; `nil` otherwise.
  public let supersedes: Position?
  /// The changes of objects, including consequences such as cascading deletions. One change for each object, ordered by
  /// entity and then by creation. Empty for transactions that declare models.
  public let changes: [Change]

  /// The change of one object by a transaction.
  public struct Change: Equatable, Sendable, Codable {
    /// The kind of a change.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, Codable {
      /// The object was inserted, or a deletion was reverted.
      case inserted
      /// Properties of the object changed.
      case updated
      /// The object was deleted.
      case deleted
      /// The values were erased from the log. Only the fact of a change is left.
      case erased
    }

    /// The ID of the object.
    public let object: AnyObjectID
    /// The kind of the change.
    public let kind: Kind
    /// The changed properties, in the order of their declaration. An inserted object has all its values here, and a
    /// deleted object its last ones. A value that is null before and after is left out.
    public let properties: [PropertyDifference]

    package init(object: AnyObjectID, kind: Kind, properties: [PropertyDifference]) {
      self.object = object
      self.kind = kind
      self.properties = properties
    }

    /// The change of one property by its name in the store; `nil` if it did not change. O(properties).
    public subscript(property: String) -> PropertyDifference.Form? {
      properties.first { $0.property == property }?.form
    }
  }

  /// The objects that the transaction inserted, by entity and then by creation. O(changes).
  public var inserted: [AnyObjectID] { objects(.inserted) }
  /// The objects whose properties the transaction changed, by entity and then by creation. O(changes).
  public var updated: [AnyObjectID] { objects(.updated) }
  /// The objects that the transaction deleted, by entity and then by creation. O(changes).
  public var deleted: [AnyObjectID] { objects(.deleted) }

  private func objects(_ kind: Change.Kind) -> [AnyObjectID] { changes.filter { $0.kind == kind }.map(\.object) }
}

/// The change of one property of an object by a transaction.
public struct PropertyDifference: Equatable, Sendable, Codable {
  /// The name of the property in the store.
  public let property: String
  /// The form of the change.
  public let form: Form

  package init(property: String, form: Form) {
    self.property = property
    self.form = form
  }

  /// A change of a property, as the log has it.
  @nonexhaustive
  public enum Form: Equatable, Sendable, Codable {
    /// The value before and the value after; null before an insertion and after a deletion.
    case value(from: PropertyValue, to: PropertyValue)
    /// In a long text, `removed` at `offset` was replaced by `inserted`. The offset counts bytes of UTF-8, and is on a
    /// scalar boundary.
    case text(offset: Int, removed: String, inserted: String)
    /// In long bytes, `removed` at `offset` was replaced by `inserted`.
    case bytes(offset: Int, removed: [UInt8], inserted: [UInt8])
    /// Objects were added to a many-to-many relationship, or removed from it. Both ends have such a change. Uncommitted
    /// changes have this form for every to-many relationship. If only the order changed, both lists are empty.
    case members(added: [AnyObjectID], removed: [AnyObjectID])
    /// The values were erased.
    case erased
  }
}

extension LoggedTransaction: CustomStringConvertible {
  /// The position, the names, and the numbers of changes.
  public var description: String {
    let names = [name.map { "'\($0)'" }, author.map { "by \($0)" }, contextName.map { "in \($0)" }].compactMap { $0 }
    return (["transaction \(position)"] + names).joined(separator: " ")
      + ": \(inserted.count) inserted, \(updated.count) updated, \(deleted.count) deleted"
  }
}
