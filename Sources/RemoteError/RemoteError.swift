import RepriseObjectModel

/// The reason why a server could not be read or written.
///
/// The calls of `RemoteSource` throw it, and `LoadState.failed` has it. A transport throws the first four cases, and
/// the source handles each of them. If a folder or a database plays the server's part, its name or path is the payload
/// `source`.
@nonexhaustive
public enum RemoteError: RepriseError {
  /// The server does not answer now, because there is no network, or because it is overloaded: HTTP's 408, 429 and 5xx.
  ///
  /// Transports and calls of the source throw it. Try again later. The source retries by itself, but not before
  /// `retryAfter`, which is the server's `Retry-After`.
  case unavailable(reason: String, retryAfter: Duration?, source: String? = nil)
  /// The server denies this user access: HTTP's 401 and 403.
  ///
  /// Transports and calls of the source throw it. Log in again, or give the program's user the right to read and write
  /// the folder.
  case denied(reason: String, source: String? = nil)
  /// This program cannot understand the server's answer.
  ///
  /// Transports and calls of the source throw it. Update the program, or correct the server.
  case malformed(reason: String)
  /// A change cannot be sent, and was not sent: its record cannot be encoded, or its identifier cannot be in a URL.
  ///
  /// Transports throw it, and the source lists the change as a conflict. Change the object, or the transport.
  case unsendable(reason: String)
  /// The store was opened without the library's models for remote sources.
  ///
  /// The initialiser of a source throws it. Open the store with `RemoteModels.all`.
  case missingModels(path: String)
  /// The attribute that is a mapping's key is not unique, so two objects could be one row.
  ///
  /// The initialiser of a source throws it. Declare the attribute with `@Attribute(.unique)`.
  case keyNotUnique(entity: String, property: String)
  /// The store refuses some rows of the server, and has all other rows.
  ///
  /// `onProblem` of the source gets it, and `refusedRows()` lists the rows. Correct the rows on the server, or correct
  /// the mapping or the rules of the model.
  case refusedRows(count: Int, first: String)
}

extension RemoteError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .unavailable(let reason, let retryAfter, nil):
      "The request to the server failed: \(reason). \(Self.retry(retryAfter))"
    case .unavailable(let reason, let retryAfter, let source?):
      "The source '\(source)' is not available: \(reason). \(Self.retry(retryAfter))"
    case .denied(let reason, nil):
      "The program has no access to the server: \(reason). Log in again, or correct the credentials or the code that "
        + "provides them."
    case .denied(let reason, let source?):
      "The source '\(source)' refuses access: \(reason). Give the program's user the right to read and write it."
    case .malformed(let reason):
      "The exchange with the server failed: \(reason). Update this program or its transport, or correct the server."
    case .unsendable(let reason):
      "The change was not sent: \(reason). Correct the mapping or the transport, or assign other values to the object."
    case .missingModels(let path):
      "The store at \(path) was opened without the models of remote sources. Open the store with RemoteModels.all as "
        + "well."
    case .keyNotUnique(let entity, let property):
      "\(entity).\(property) identifies the rows of a remote source, but is not unique, so two objects could be one "
        + "row. Declare the attribute with @Attribute(.unique)."
    case .refusedRows(let count, let first):
      "The store refuses \(count) rows of a remote source. The first is \(first). Correct these rows on the server or "
        + "in the folder, or change the `RemoteMapping` or the rules of the model."
    }
  }

  private static func retry(_ delay: Duration?) -> String {
    delay.map { "Try again in \($0)." } ?? "Try again later, or remove this cause."
  }
}
