import RepriseObjectModel

/// A local change on its way to the server.
public struct RemoteChange<Record: Sendable>: Sendable {
  /// What is to be done.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// Make a row. HTTP's `POST`, or `PUT` where the program chose the identifier.
    case create
    /// Change a row: HTTP's `PATCH` with ``RemoteChange/properties``, or `PUT` with the whole record.
    case update
    /// Delete a row.
    case delete
  }

  /// What is to be done.
  public let kind: Kind
  /// The row's identifier; `nil` for a new row that the server is to name.
  public let id: String?
  /// The row as it is to be; `nil` for a deletion.
  public let record: Record?
  /// The names of the model's properties that changed, ascending; empty but for an update.
  public let properties: [String]
  /// Names this change, however often it is sent. HTTP's `Idempotency-Key`.
  public let idempotencyKey: UniqueID

  /// A change, for tests of a transport.
  public init(kind: Kind, id: String?, record: Record?, properties: [String], idempotencyKey: UniqueID) {
    self.kind = kind
    self.id = id
    self.record = record
    self.properties = properties
    self.idempotencyKey = idempotencyKey
  }
}

/// What a server answered to a ``RemoteChange``.
@nonexhaustive
public enum RemoteAnswer<Record: Sendable>: Sendable {
  /// It is done, and this is the row now; `nil` where the server does not say. For a new row that the server named, it
  /// must, or the change is among the source's conflicts. A deletion of what is gone already is done.
  case accepted(Record?)
  /// The server changed the row meanwhile, and this is what it is now: what the two did is merged, and sent again if
  /// they changed different properties. HTTP's 409 and 412.
  case changed(Record)
  /// The server has no such row any more.
  case gone
  /// It does not accept the change, for this reason. HTTP's 422.
  case refused(reason: String)
}
