#if PostgreSQL && canImport(CReprisePostgreSQL)
import RepriseCore

/// The reason why a ``PostgreSQLLog`` did not do its work. The reasons never have a password.
@nonexhaustive
public enum PostgreSQLLogError: RepriseError, Equatable {
  /// The server cannot be reached now, or the connection was lost.
  ///
  /// Each call of ``PostgreSQLLog`` throws it. The store connects again by itself. If this lasts, check that a server
  /// runs, accepts writes, and reaches its standby.
  case unavailable(reason: String)
  /// The server refuses the user, or the user may not use the tables.
  ///
  /// Each call of ``PostgreSQLLog`` throws it. Correct the credentials, or grant the user the rights.
  case denied(reason: String)
  /// libpq does not understand the connection text, or the text names a missing database.
  ///
  /// ``PostgreSQLLog/attach(to:)`` throws it. Correct the text.
  case invalidConnection(reason: String)
  /// The server acknowledges commits that no named standby has.
  ///
  /// ``PostgreSQLLog/attach(to:)`` throws it. Name the standbys in `synchronous_standby_names`, or choose another
  /// ``PostgreSQLReplication``.
  case notReplicated(reason: String)
  /// The server may lose acknowledged commits when its machine fails.
  ///
  /// ``PostgreSQLLog/attach(to:)`` throws it. Change the setting of the server.
  case notDurable(reason: String)
  /// The database has tables or functions with the names of the log, but of another shape.
  ///
  /// ``PostgreSQLLog/attach(to:)`` throws it. Use another database, or a separate schema in `search_path`.
  case otherSchema(reason: String)
  /// The server is older than PostgreSQL 13.
  ///
  /// ``PostgreSQLLog/attach(to:)`` throws it. Update the server.
  case unsupportedServer(version: String)
}

extension PostgreSQLLogError {
  /// One error for several hosts. A refusal of the user needs the operator, so it comes first.
  static func first(of errors: [PostgreSQLLogError]) -> PostgreSQLLogError {
    var reasons: [String] = []
    for error in errors {
      guard case .unavailable(let reason) = error else { return error }
      if !reasons.contains(reason) { reasons.append(reason) }
    }
    return .unavailable(reason: reasons.isEmpty ? LogWireFailure.endedReason : reasons.joined(separator: "; "))
  }
}

extension PostgreSQLLogError: CustomStringConvertible {
  /// The failure, its cause, and the next step.
  public var description: String {
    switch self {
    case .unavailable(let reason):
      "The shared log in PostgreSQL is not available: \(reason). The program connects again. If this lasts, check that "
        + "a server runs, accepts writes, and reaches its standby."
    case .denied(let reason):
      "PostgreSQL refuses access to the shared log: \(reason). Correct the credentials, or grant the user the rights "
        + "to the tables reprise_log and reprise_packet."
    case .invalidConnection(let reason):
      "The connection text of the shared log is wrong: \(reason). Correct the text."
    case .notReplicated(let reason):
      "The PostgreSQL server does not replicate the shared log: \(reason). Name its standbys in "
        + "synchronous_standby_names, or choose another PostgreSQLReplication."
    case .notDurable(let reason):
      "The PostgreSQL server may lose acknowledged saves: \(reason). Turn the setting on."
    case .otherSchema(let reason):
      "The database has other tables or functions than the shared log needs: \(reason). Use another database, or put a "
        + "separate schema first in search_path."
    case .unsupportedServer(let version):
      "The PostgreSQL server has version \(version), and a shared log needs 13 or later. Update the server."
    }
  }
}
#endif
