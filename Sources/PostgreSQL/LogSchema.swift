#if PostgreSQL && canImport(CReprisePostgreSQL)
extension PostgreSQLLog {
  /// The SQL that makes the tables and functions of the log. Run it once as an administrator if the program's role may
  /// not create them. It changes nothing if they exist.
  ///
  /// Then grant the role its rights:
  ///
  /// ```sql
  /// GRANT SELECT, INSERT, UPDATE, DELETE ON reprise_log, reprise_packet TO program;
  /// ```
  public static var schema: String { LogSchema.sql }
}

enum LogSchema {
  /// The name and shape of each table and function, as ``shapes`` finds them. If a function changes, it gets a new
  /// name, because servers with the old and the new version of this library use one database.
  static let expected = """
    reprise_log: log uuid, epoch bigint, last bigint, packet uuid, first bigint, first_packet uuid
    reprise_packet: log uuid, seq bigint, id uuid, previous uuid, payload bytea, released timestamp with time zone
    reprise_append: uuid, bigint, bigint, uuid, uuid, bytea, bigint: \(answer)
    reprise_attach: uuid: TABLE(epoch bigint, first bigint, first_packet uuid, last bigint, packet uuid)
    reprise_clean: uuid: boolean
    reprise_read: uuid, bigint, bigint, uuid, integer: \(answer)
    reprise_release: uuid, bigint, bigint, uuid: boolean
    reprise_take_turn: bigint: boolean
    """

  private static let answer = """
    TABLE(status text, epoch bigint, seq bigint, id uuid, payload bytea, more boolean)
    """

  /// Names and shapes of the tables and functions that the session would use, each in a row.
  static let shapes = """
    SELECT c.relname || ': ' || coalesce(string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', '
      ORDER BY a.attnum), '')
    FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relname IN ('reprise_log', 'reprise_packet') AND pg_table_is_visible(c.oid) GROUP BY c.oid, c.relname
    UNION ALL
    SELECT p.proname || ': ' || (SELECT coalesce(string_agg(format_type(t.type, NULL), ', ' ORDER BY t.place), '')
      FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY t(type, place)) || ': ' || pg_get_function_result(p.oid)
    FROM pg_proc p WHERE p.proname LIKE 'reprise\\_%' AND pg_function_is_visible(p.oid)
    """

  /// The lock makes servers wait that create the schema at the same time.
  static let sql = """
    BEGIN;
    SELECT pg_advisory_xact_lock(8243122705217841253);
    \(tables)
    \(readFunction)
    \(appendFunction)
    \(attachFunction)
    \(releaseFunctions)
    \(turnFunction)
    COMMIT;
    """

  private static let tables = """
    CREATE TABLE IF NOT EXISTS reprise_log (
      log uuid PRIMARY KEY, epoch bigint NOT NULL DEFAULT 1, last bigint NOT NULL DEFAULT 0, packet uuid,
      first bigint NOT NULL DEFAULT 0, first_packet uuid) WITH (fillfactor = 50);
    CREATE TABLE IF NOT EXISTS reprise_packet (
      log uuid NOT NULL, seq bigint NOT NULL, id uuid NOT NULL, previous uuid, payload bytea, released timestamptz,
      PRIMARY KEY (log, seq), UNIQUE (log, id));
    ALTER TABLE reprise_packet ALTER payload SET STORAGE EXTERNAL;
    CREATE INDEX IF NOT EXISTS reprise_released ON reprise_packet (log, released) WHERE released IS NOT NULL;
    """

  /// Stable: all its statements see one moment of the log.
  private static let readFunction = """
    CREATE OR REPLACE FUNCTION reprise_read(
      log_id uuid, at_epoch bigint, at_seq bigint, at_packet uuid, most integer)
    RETURNS TABLE (status text, epoch bigint, seq bigint, id uuid, payload bytea, more boolean)
    LANGUAGE plpgsql STABLE AS $reprise$
    #variable_conflict use_column
    DECLARE head reprise_log;
    BEGIN
      SELECT * INTO head FROM reprise_log l WHERE l.log = log_id;
      IF head.log IS NULL OR head.epoch <> at_epoch THEN
        RETURN QUERY SELECT 'diverged', at_epoch, at_seq, at_packet, NULL::bytea, false;
      ELSIF at_seq < head.first THEN
        RETURN QUERY SELECT 'released', head.epoch, head.first, head.first_packet, NULL::bytea, false;
      ELSIF (CASE WHEN at_seq = head.first THEN head.first_packet IS NOT DISTINCT FROM at_packet
        ELSE EXISTS (SELECT FROM reprise_packet p WHERE p.log = log_id AND p.seq = at_seq AND p.id = at_packet) END)
      THEN
        RETURN QUERY SELECT 'packet', head.epoch, w.seq, w.id, w.payload, w.seq < head.last FROM (
          SELECT p.seq, p.id, p.payload, row_number() OVER o AS number, sum(octet_length(p.payload)) OVER o AS bytes
          FROM (SELECT q.seq, q.id, q.payload FROM reprise_packet q WHERE q.log = log_id AND q.seq > at_seq
            ORDER BY q.seq LIMIT greatest(1, least(most, 256))) p
          WINDOW o AS (ORDER BY p.seq)) w
        WHERE w.number = 1 OR w.bytes <= 8388608 ORDER BY w.seq;
      ELSE
        RETURN QUERY SELECT 'diverged', head.epoch, at_seq, at_packet, NULL::bytea, false;
      END IF;
    END $reprise$;
    """

  /// The lock waits while another server has its turn, and the session with the turn passes. The update waits for an
  /// append that holds the row, and then compares again. Another session may append the same packet at the same time.
  /// If this update finds no row, the other append is visible to the next statement, or it fails in the same way.
  private static let appendFunction = """
    CREATE OR REPLACE FUNCTION reprise_append(
      log_id uuid, at_epoch bigint, at_seq bigint, at_packet uuid, new_id uuid, bytes bytea, key bigint)
    RETURNS TABLE (status text, epoch bigint, seq bigint, id uuid, payload bytea, more boolean)
    LANGUAGE plpgsql AS $reprise$
    #variable_conflict use_column
    DECLARE number bigint;
    BEGIN
      IF NOT pg_try_advisory_xact_lock_shared(key) THEN
        PERFORM set_config('lock_timeout', '200ms', true);
        BEGIN
          PERFORM pg_advisory_xact_lock_shared(key);
        EXCEPTION WHEN lock_not_available THEN
          NULL;
        END;
        PERFORM set_config('lock_timeout', '0', true);
      END IF;
      UPDATE reprise_log l SET last = l.last + 1, packet = new_id
      WHERE l.log = log_id AND l.epoch = at_epoch AND l.last = at_seq AND l.packet IS NOT DISTINCT FROM at_packet
        AND NOT EXISTS (SELECT FROM reprise_packet p WHERE p.log = log_id AND p.id = new_id)
      RETURNING l.last INTO number;
      IF FOUND THEN
        INSERT INTO reprise_packet (log, seq, id, previous, payload) VALUES (log_id, number, new_id, at_packet, bytes);
        RETURN QUERY SELECT 'appended', at_epoch, number, new_id, NULL::bytea, false;
        RETURN;
      END IF;
      RETURN QUERY SELECT 'duplicate', l.epoch, p.seq, p.id, NULL::bytea, false
        FROM reprise_packet p JOIN reprise_log l ON l.log = p.log WHERE p.log = log_id AND p.id = new_id
        AND l.epoch = at_epoch;
      IF NOT FOUND THEN
        RETURN QUERY SELECT * FROM reprise_read(log_id, at_epoch, at_seq, at_packet, 256);
      END IF;
    END $reprise$;
    """

  private static let attachFunction = """
    CREATE OR REPLACE FUNCTION reprise_attach(log_id uuid)
    RETURNS TABLE (epoch bigint, first bigint, first_packet uuid, last bigint, packet uuid)
    LANGUAGE plpgsql AS $reprise$
    #variable_conflict use_column
    BEGIN
      INSERT INTO reprise_log (log) VALUES (log_id) ON CONFLICT DO NOTHING;
      RETURN QUERY SELECT l.epoch, l.first, l.first_packet, l.last, l.packet FROM reprise_log l WHERE l.log = log_id;
    END $reprise$;
    """

  /// `reprise_release` changes one row, so appends do not wait for long. `reprise_clean` then removes payloads, and
  /// after seven days rows, in batches. It returns whether it found rows.
  private static let releaseFunctions = """
    CREATE OR REPLACE FUNCTION reprise_release(log_id uuid, at_epoch bigint, at_seq bigint, at_packet uuid)
    RETURNS boolean LANGUAGE plpgsql AS $reprise$
    BEGIN
      UPDATE reprise_log l SET first = at_seq, first_packet = at_packet
      WHERE l.log = log_id AND l.epoch = at_epoch AND l.first < at_seq
        AND EXISTS (SELECT FROM reprise_packet p WHERE p.log = log_id AND p.seq = at_seq AND p.id = at_packet);
      RETURN FOUND;
    END $reprise$;
    CREATE OR REPLACE FUNCTION reprise_clean(log_id uuid) RETURNS boolean LANGUAGE plpgsql AS $reprise$
    DECLARE below bigint; kept bigint; cleaned boolean;
    BEGIN
      SELECT l.first INTO below FROM reprise_log l WHERE l.log = log_id;
      SELECT max(p.seq) INTO kept FROM reprise_packet p WHERE p.log = log_id
        AND p.released = (SELECT max(r.released) FROM reprise_packet r WHERE r.log = log_id AND r.released IS NOT NULL);
      UPDATE reprise_packet p SET payload = NULL, released = now() WHERE p.log = log_id AND p.seq IN (
        SELECT r.seq FROM reprise_packet r WHERE r.log = log_id AND r.seq > coalesce(kept, 0) AND r.seq <= below
          AND r.released IS NULL ORDER BY r.seq LIMIT 1000);
      cleaned := FOUND;
      DELETE FROM reprise_packet p WHERE p.log = log_id AND p.seq IN (
        SELECT r.seq FROM reprise_packet r WHERE r.log = log_id AND r.released < now() - interval '7 days' LIMIT 1000);
      RETURN cleaned OR FOUND;
    END $reprise$;
    """

  /// The lock belongs to the session, so it outlives the function. The server may grant it at the moment of the
  /// timeout, so the function gives it back. `pg_advisory_unlock` would warn about a lock that the session lacks.
  private static let turnFunction = """
    CREATE OR REPLACE FUNCTION reprise_take_turn(key bigint) RETURNS boolean
    LANGUAGE plpgsql SET lock_timeout = '200ms' AS $reprise$
    BEGIN
      PERFORM pg_advisory_lock(key);
      RETURN true;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_advisory_unlock_all();
      RETURN false;
    END $reprise$;
    """
}
#endif
