#if PostgreSQL && canImport(CReprisePostgreSQL)
/// The statements of the sessions.
enum LogStatement {
  /// Settings of the session. The role or the database may have other defaults. Keepalives let the server notice that
  /// this machine is gone, and give its turn to another one.
  static let settings = """
    SELECT set_config('default_transaction_isolation', 'read committed', false),
      set_config('synchronous_commit',
        CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false),
      set_config('client_min_messages', 'warning', false), set_config('statement_timeout', '0', false),
      set_config('lock_timeout', '0', false), set_config('idle_in_transaction_session_timeout', '0', false),
      set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '1', false),
      set_config('tcp_keepalives_count', '3', false)
    """

  static let questions = """
    SELECT pg_is_in_recovery(), current_setting('fsync'), current_setting('full_page_writes'),
      current_setting('synchronous_standby_names')
    """

  /// PostgreSQL has this setting since version 14.
  static let idleSetting = """
    SELECT set_config('idle_session_timeout', '0', false)
    """

  static let listenerSettings = """
    SELECT set_config('synchronous_commit', 'off', false), set_config('client_min_messages', 'error', false),
      set_config('statement_timeout', '0', false)
    """

  /// A commit that leaves no row.
  static let barrier = """
    SELECT pg_logical_emit_message(true, 'reprise', '')
    """

  /// Whether a session waits for a standby. A program may always see its role's sessions.
  static let waits = """
    SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep')
    """

  static let attach = """
    SELECT * FROM reprise_attach($1)
    """

  static let append = """
    SELECT * FROM reprise_append($1, $2, $3, $4, $5, $6, $7)
    """

  static let read = """
    SELECT * FROM reprise_read($1, $2, $3, $4, $5)
    """

  static let takeTurn = """
    SELECT reprise_take_turn($1)
    """

  static let endTurn = """
    SELECT pg_advisory_unlock_all()
    """

  /// Also lets the server end the session if it does nothing during its turn, because the process may be stopped. A
  /// stopped process answers keepalives, and would make all other servers wait.
  static let takeBoundedTurn = """
    SELECT CASE WHEN reprise_take_turn($1) THEN set_config('idle_session_timeout', '2s', false) IS NOT NULL
      ELSE false END
    """

  static let endBoundedTurn = """
    SELECT pg_advisory_unlock_all(), set_config('idle_session_timeout', '0', false)
    """

  static let release = """
    SELECT reprise_release($1, $2, $3, $4)
    """

  static let clean = """
    SELECT reprise_clean($1)
    """
}
#endif
