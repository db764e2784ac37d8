#if PostgreSQL && canImport(CReprisePostgreSQL)
import RepriseCore
import RepriseSharing
import Synchronization

/// A shared log in a PostgreSQL database. All servers whose stores have the same log use the same database.
///
/// ```swift
/// let log = PostgreSQLLog("host=db1,db2 dbname=music user=program sslmode=verify-full")
/// ```
///
/// An append is one commit, so an acknowledged save is on the leading server and on a synchronous standby. If the
/// leading server fails and the standby is promoted, all acknowledged saves are there. `Docs/Deployment.md` lists the
/// settings of the servers.
///
/// The first connection makes two tables and their functions. If the program's role may not create them, run
/// ``schema`` once as an administrator.
///
/// A connection uses two sessions, each with a thread. No call blocks a thread of Swift's pool.
public final class PostgreSQLLog: LogTransport {
  private struct State {
    var queue: LogQueue?
    var listener: LogListener?
    /// The host that the next connection tries first.
    var host = 0
  }

  private let address: Result<LogAddress, PostgreSQLLogError>
  private let replication: PostgreSQLReplication
  private let state = Mutex(State())

  /// Makes a log that ``attach(to:)`` connects.
  ///
  /// - Parameters:
  ///   - connection: The database, as libpq's connection text or a URI. Missing parts, such as the password, come
  ///     from libpq's environment variables and files. Name all servers, as in `host=db1,db2`.
  ///   - replication: The system that keeps the saves if the leading server loses its disk.
  public init(_ connection: String, replication: PostgreSQLReplication = .synchronous) {
    address = Result { () throws(PostgreSQLLogError) in try LogAddress(connection) }
    self.replication = replication
  }

  deinit { endSessions() }

  // MARK: The connection

  /// Ends the sessions, and returns them. They may still be busy.
  @discardableResult private func endSessions() -> (queue: LogQueue?, listener: LogListener?) {
    let ended = state.withLock { state in
      defer { (state.queue, state.listener) = (nil, nil) }
      return (state.queue, state.listener)
    }
    ended.0?.end()
    ended.1?.end()
    return ended
  }

  /// Ends the hints of a connection that was lost. Its thread stays for the next one.
  ///
  /// - queue: If it is not `nil`, only the hints of this connection.
  private func endHints(of queue: LogQueue? = nil, nextHost: Int? = nil) {
    let listener = state.withLock { state -> LogListener? in
      if let queue, state.queue !== queue { return nil }
      if let nextHost { state.host = nextHost }
      defer { state.listener = nil }
      return state.listener
    }
    listener?.end()
  }

  /// Connects to the first host that accepts writes, and waits until a standby has all commits of the server. Makes
  /// the tables if they do not exist.
  ///
  /// - Throws: ``PostgreSQLLogError``.
  public func attach(to log: UniqueID) async throws -> LogStanding {
    endHints()
    let address = try address.get()
    let (first, started) = state.withLock { state in
      state.queue = state.queue ?? LogQueue(replication)
      return (state.host, state.queue)
    }
    guard let queue = started else {
      throw PostgreSQLLogError.unavailable(reason: "the system cannot start a thread")
    }
    let (standing, host) =
      await queue.run { $0.attach(to: log, beginningWith: first, of: address) } ?? (.failure(Self.ended), first)
    guard case .success = standing else {
      // A server that accepts connections, but not commits, is perhaps isolated, and another one was promoted.
      endHints(of: queue, nextHost: (host + 1) % address.hosts.count)
      return try standing.get()
    }
    let listener = LogListener(log, host, of: address)
    let isCurrent = state.withLock { state in
      guard state.queue === queue else { return false }
      (state.listener, state.host) = (listener, host)
      return true
    }
    if !isCurrent { throw Self.ended }
    return try standing.get()
  }

  private static let ended = PostgreSQLLogError.unavailable(reason: LogWireFailure.endedReason)

  /// Runs a call on the session, and ends the connection if the session has lost its server.
  private func call<Value: Sendable>(
    _ body: @escaping @Sendable (LogSession) throws -> Value
  ) async throws -> Value {
    guard let queue = state.withLock(\.queue) else {
      throw PostgreSQLLogError.unavailable(reason: "the connection was lost")
    }
    let answer = await queue.run { session in (result: Result { try body(session) }, loss: session.loss) }
    guard let answer else { throw Self.ended }
    switch answer.loss {
    case .silent: endHints(of: queue, nextHost: try nextHost())
    case .closed: endHints(of: queue)
    case nil: break
    }
    return try answer.result.get()
  }

  private func nextHost() throws -> Int {
    let count = try address.get().hosts.count
    return state.withLock { ($0.host + 1) % count }
  }

  /// Ends both sessions and their threads, also during a call. Only a query of the name service delays the end.
  public func detach() async {
    let ended = endSessions()
    await ended.queue?.join()
    await ended.listener?.join()
  }

  // MARK: Packets

  /// The server's limit of one message is 1 GiB, with the other parameters.
  private static let largestPacket = 1 << 30 - 1 << 16

  /// Appends a packet in one commit and one round trip.
  ///
  /// - Throws: ``PostgreSQLLogError`` or `PacketError.tooLarge` if the packet is not in the log.
  public func append(_ packet: LogPacket, after place: LogPlace) async throws -> AppendAnswer {
    guard packet.bytes.count <= Self.largestPacket else {
      throw PacketError.tooLarge(bytes: packet.bytes.count)
    }
    let answer = try await call { try $0.append(packet, after: place) }
    if case .appended = answer { state.withLock(\.listener)?.notify() }
    return answer
  }

  /// Reads at most 256 packets, and at most 8 MiB if the first one is smaller.
  ///
  /// - Throws: ``PostgreSQLLogError``, or `PacketError` if a packet is damaged.
  public func read(after place: LogPlace, limit: Int) async throws -> LogReading {
    try await call { try $0.read(after: place, limit: limit) }
  }

  /// Hints by `NOTIFY`, except for the packets of this object. The stream ends at once if there is no connection.
  public func hints() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    if let listener = state.withLock(\.listener) { listener.add(continuation) } else { continuation.finish() }
    return stream
  }

  // MARK: Turns and retention

  /// Takes an advisory lock.
  ///
  /// - Throws: ``PostgreSQLLogError``.
  public func takeTurn() async throws -> Bool { try await call { try $0.takeTurn() } }

  /// Gives the advisory lock back.
  ///
  /// - Throws: ``PostgreSQLLogError``.
  public func endTurn() async throws { try await call { try $0.endTurn() } }

  /// Removes the packets up to a place. Keeps their IDs for seven days. One call removes at most 20,000 packets from
  /// the disk, because appends of this object wait meanwhile. The next call continues.
  ///
  /// - Throws: ``PostgreSQLLogError``.
  public func release(upTo place: LogPlace) async throws {
    try await call { try $0.release(upTo: place) }
  }
}
#else
/// This type needs the package's trait `PostgreSQL`.
@available(*, unavailable, message: "Enable the trait 'PostgreSQL' of the package reprise, and install libpq.")
public enum PostgreSQLLog {}
#endif
