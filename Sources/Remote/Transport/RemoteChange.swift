import RepriseObjectModel

/// A local change to send to the server.
public struct RemoteChange<Record: Sendable>: Sendable {
  /// The operation of a change.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// Create a row: HTTP's `POST`, or `PUT` if the program chose the identifier.
    case create
    /// Change a row: HTTP's `PATCH` with ``RemoteChange/properties``, or `PUT` with the whole record.
    case update
    /// Delete a row.
    case delete
  }

  /// The operation.
  public let kind: Kind
  /// The row's identifier, or `nil` for a new row whose identifier the server chooses.
  public let id: String?
  /// The row after the change, or `nil` for a deletion.
  ///
  /// With a ``body``, it is also `nil` for a new row that an earlier version of the program sent, and whose record this
  /// version cannot decode.
  public let record: Record?
  /// The names of the changed properties of the model, in ascending order.
  ///
  /// Empty, except for an update.
  public let properties: [String]
  /// A key that identifies this change, however often it is sent: HTTP's `Idempotency-Key`.
  public let idempotencyKey: UniqueID
  /// The bytes to send, as ``RemoteTransport/body(of:)`` made them before the change was sent for the first time.
  ///
  /// `nil` if the transport makes none.
  public internal(set) var body: [UInt8]?

  /// Makes a change, for tests of a transport.
  public init(
    kind: Kind, id: String?, record: Record?, properties: [String], idempotencyKey: UniqueID, body: [UInt8]? = nil
  ) {
    self.kind = kind
    self.id = id
    self.record = record
    self.properties = properties
    self.idempotencyKey = idempotencyKey
    self.body = body
  }
}

/// A server's answer to a ``RemoteChange``.
@nonexhaustive
public enum RemoteAnswer<Record: Sendable>: Sendable {
  /// The change is made, and this is the row now, or `nil` if the server does not send it.
  ///
  /// If the server chooses the identifiers of new rows, the answer to a new row must have the row. Without it, the
  /// source reports a conflict. Also return this case for a deletion if the server no longer has the row.
  case accepted(Record?)
  /// The server's row has changed in the meantime, and this is the row now: HTTP's 409 and 412.
  ///
  /// The source merges both changes. If they set different properties, it sends the change again.
  case changed(Record)
  /// The server no longer has the row.
  case gone
  /// The server refuses the change, for this reason: HTTP's 422.
  case refused(reason: String)
}
