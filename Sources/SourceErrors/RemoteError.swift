import RepriseEventStore

/// Why a server could not be read or written.
@nonexhaustive
public enum RemoteError: RepriseError {
  /// It does not answer now: no network, an overload. Tried again by itself, and not before the server wants to be
  /// asked again. HTTP's 408, 429 and 5xx, with `Retry-After`.
  case unavailable(reason: String, retryAfter: Duration?)
  /// It does not let this user do that. Log in again. HTTP's 401 and 403.
  case denied(reason: String)
  /// It answered something that this program does not understand. Update the program, or mend the server.
  case malformed(reason: String)
  /// A change cannot be sent as it is, and was not sent: its record cannot be encoded, or its identifier cannot be in a
  /// URL. Change the object, or the transport.
  case unsendable(reason: String)
  /// The store was opened without the kit's own models. Open it with `RemoteModels.all`.
  case missingModels(path: String)
  /// The attribute that is a mapping's key need not be unique, so that two objects could be one row. Declare it with
  /// `@Attribute(.unique)`.
  case keyNotUnique(entity: String, property: String)
  /// The store cannot keep some rows as the server has them, and has all others: `refusedRows()` of the source lists
  /// them. Mend them on the server, or the mapping, or the rules of the model.
  case refusedRows(count: Int, first: String)
}

extension RemoteError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .unavailable(let reason, let retryAfter?):
      "The server cannot be reached: \(reason). Try again in \(retryAfter)."
    case .unavailable(let reason, nil): "The server cannot be reached: \(reason). Try again later."
    case .denied(let reason): "The server refuses access: \(reason). Log in again."
    case .malformed(let reason):
      "The server's answer cannot be understood: \(reason). Update this program, or mend the server."
    case .unsendable(let reason):
      "The change was not sent, because that cannot be done: \(reason). Change the object, or the transport."
    case .missingModels(let path):
      "The store at \(path) was opened without the models of remote sources. Open it with RemoteModels.all as well."
    case .keyNotUnique(let entity, let property):
      "\(entity).\(property) is the key of a mapping and need not be unique, so that two objects could be one row. "
        + "Declare it with @Attribute(.unique)."
    case .refusedRows(let count, let first):
      "The store cannot keep \(count) of the rows as the server has them, first \(first). Mend that on the server, or "
        + "change the rules of the model."
    }
  }
}
