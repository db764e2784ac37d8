#if PostgreSQL && canImport(CReprisePostgreSQL)
/// The system that keeps the saves of a ``PostgreSQLLog`` if the leading server loses its disk.
public enum PostgreSQLReplication: Sendable {
  /// PostgreSQL waits for a standby that `synchronous_standby_names` names. `attach` throws
  /// `PostgreSQLLogError.notReplicated` if there is no name.
  case synchronous
  /// A service replicates the disk below PostgreSQL, as the services of cloud providers do.
  case below
  /// No other machine has the saves. If the server loses its disk, the saves since the last backup are lost.
  case unreplicated
}
#endif
