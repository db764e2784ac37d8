import RepriseObjectModel

/// A transaction of the log: who saved what, when, and on which base.
///
/// The values are those of the log, untyped, under the names that properties have in the store; properties that no
/// model has any more are among them.
public struct LoggedTransaction: Hashable, Sendable, Identifiable, Codable {
  /// Chosen by the save, and the same in every copy of the log.
  public let id: UniqueID
  /// Names the transaction, to go on behind it later: see ``TransactionLog/feed(after:matching:)``.
  public let token: LogToken
  /// The number of the transaction in the log.
  public var position: Position { token.position }
  /// The position that the changes were based on. What stands between it and ``position``, others saved meanwhile.
  public let base: Position
  /// When it was saved, by the clock of the machine that saved it, or the date that an import gave it
  /// (``RootContext/transactionMicroseconds``): microseconds since 1970-01-01 00:00:00 UTC. The order of transactions
  /// is that of ``position``: clocks are set back, and an import has dates of the past.
  public let microseconds: Int64
  /// The author of the context; `nil` if it had none, or if the name was erased.
  public let author: String?
  /// The name of the context; `nil` if it had none, or if the name was erased.
  public let contextName: String?
  /// The name that the save gave it, as in "Rename item"; `nil` if none, or if it was erased.
  public let name: String?
  /// What the program recorded with the save, by keys of its own, as ``RootContext`` takes it; without what was erased.
  public let metadata: [String: String]
  /// The transaction that this one takes back; `nil` if it is no reversal.
  public let undoes: Position?
  /// The transaction that is in effect again, if what this one takes back had taken that back.
  public let supersedes: Position?
  /// What it did to each object, consequences such as cascading deletions included; one change an object, by entity and
  /// then by birth. Empty for transactions that declare models.
  public let changes: [Change]

  /// What a transaction did to one object.
  public struct Change: Hashable, Sendable, Codable {
    /// What became of the object.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, Codable {
      /// It was inserted, or it came back.
      case inserted
      /// Some of its properties changed.
      case updated
      /// It was deleted.
      case deleted
      /// The values were erased from the log; that there was a change is all that is left.
      case erased
    }

    /// The object.
    public let object: AnyObjectID
    /// What became of it.
    public let kind: Kind
    /// Of an inserted object all values, of a deleted one the last, of an updated one what changed; in the order in
    /// which the properties were declared. What is null before and after is left out.
    public let properties: [PropertyDifference]

    package init(object: AnyObjectID, kind: Kind, properties: [PropertyDifference]) {
      self.object = object
      self.kind = kind
      self.properties = properties
    }

    /// How a property changed; `nil` if it did not.
    public subscript(property: String) -> PropertyDifference.Form? {
      properties.first { $0.property == property }?.form
    }
  }

  /// The objects that it inserted, by entity and then by birth.
  public var inserted: [AnyObjectID] { objects(.inserted) }
  /// The objects of which it changed properties, by entity and then by birth.
  public var updated: [AnyObjectID] { objects(.updated) }
  /// The objects that it deleted, by entity and then by birth.
  public var deleted: [AnyObjectID] { objects(.deleted) }

  private func objects(_ kind: Change.Kind) -> [AnyObjectID] { changes.filter { $0.kind == kind }.map(\.object) }
}

/// How a transaction changed a property of an object.
public struct PropertyDifference: Hashable, Sendable, Codable {
  /// The name of the property in the store.
  public let property: String
  /// The change.
  public let form: Form

  package init(property: String, form: Form) {
    self.property = property
    self.form = form
  }

  /// A change, as the log has it.
  @nonexhaustive
  public enum Form: Hashable, Sendable, Codable {
    /// From one value to another; null before an insertion and after a deletion.
    case value(from: PropertyValue, to: PropertyValue)
    /// In a long text: from `offset` on, `removed` became `inserted`. Counted in bytes of UTF-8, on scalar boundaries.
    case text(offset: Int, removed: String, inserted: String)
    /// The same in bytes.
    case bytes(offset: Int, removed: [UInt8], inserted: [UInt8])
    /// Objects came into a many-to-many relationship, or left it. Told of the objects at both ends. Of uncommitted
    /// changes, told of every to-many; then both are empty where only the order changed.
    case members(added: [AnyObjectID], removed: [AnyObjectID])
    /// The values were erased.
    case erased
  }
}

extension LoggedTransaction: CustomStringConvertible {
  /// The position, the names, and the number of changes.
  public var description: String {
    let names = [name.map { "'\($0)'" }, author.map { "by \($0)" }, contextName.map { "in \($0)" }].compactMap { $0 }
    return (["transaction \(position)"] + names).joined(separator: " ")
      + ": \(inserted.count) inserted, \(updated.count) updated, \(deleted.count) deleted"
  }
}
