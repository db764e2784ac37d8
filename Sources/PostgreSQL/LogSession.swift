#if PostgreSQL && canImport(CReprisePostgreSQL)
import RepriseCore
import RepriseSharing

/// The session that appends and reads. One thread uses it.
final class LogSession {
  /// How the connection was lost.
  enum Loss {
    case closed
    /// The server did not answer. Another one may have been promoted.
    case silent
  }

  private var log = UniqueID()
  private let replication: PostgreSQLReplication
  private let interrupt: LogInterrupt
  private var wire: LogWire?
  /// The number of its host.
  private var host = 0
  /// Connections whose statement did not end in time, by the number of the host. While a standby is down, the server
  /// keeps the session of such a statement, also if the client closes the connection. So each retry would add one.
  private var waiting: [Int: LogWire] = [:]
  private(set) var loss: Loss?
  /// Whether the server may show commits that no standby has.
  private var needsBarrier = true
  private var hasTurn = false

  init(_ replication: PostgreSQLReplication, _ interrupt: LogInterrupt) {
    self.replication = replication
    self.interrupt = interrupt
  }

  func close() { (wire, waiting) = (nil, [:]) }

  // MARK: Statements

  private func lose(_ loss: Loss) {
    // The first one may wait for a standby.
    if case .silent = loss, waiting[host] == nil { waiting[host] = wire }
    wire = nil
    hasTurn = false
    self.loss = loss
  }

  /// Runs a statement, and notes whether the wait for a standby was cancelled.
  private func run(_ sql: String, _ parameters: [LogParameter] = []) throws(LogWireFailure) -> LogAnswer? {
    guard let wire else { throw .notSent(reason: "the connection was lost") }
    do throws(LogWireFailure) {
      let answer = try wire.run(sql, parameters)
      if wire.takeCancellation() { needsBarrier = true }
      return answer
    } catch {
      // A statement that was cancelled may have been committed.
      needsBarrier = true
      switch error {
      case .rolledBack: break
      case .notSent, .lost, .ended: lose(.closed)
      case .timeout: lose(.silent)
      }
      throw error
    }
  }

  private func checked(_ sql: String, _ parameters: [LogParameter] = []) throws(PostgreSQLLogError) -> LogAnswer? {
    do throws(LogWireFailure) { return try run(sql, parameters) } catch { throw Self.error(error) }
  }

  private static func error(_ failure: LogWireFailure) -> PostgreSQLLogError {
    switch failure {
    case .rolledBack(let state, let reason):
      state == "42501" || state.hasPrefix("28") ? .denied(reason: reason) : .unavailable(reason: reason)
    case .notSent(let reason), .lost(let reason): .unavailable(reason: reason)
    case .timeout: .unavailable(reason: "the server did not answer within \(LogWire.patience)")
    case .ended: .unavailable(reason: LogWireFailure.endedReason)
    }
  }

  /// Waits until a standby has all commits that the server shows.
  ///
  /// After a crash, a server shows commits that no standby has. If a retry found its packet among them, the save would
  /// be acknowledged, and lost when the standby is promoted.
  private func passBarrier() throws(PostgreSQLLogError) {
    guard needsBarrier else { return }
    needsBarrier = false
    _ = try checked(LogStatement.barrier)
    if needsBarrier { throw .unavailable(reason: "somebody cancelled the wait for a standby") }
  }

  // MARK: Attaching

  /// Connects to the first host that accepts the connection. Returns it also if the server then fails.
  func attach(
    to log: UniqueID, beginningWith first: Int, of address: LogAddress
  ) -> (standing: Result<LogStanding, PostgreSQLLogError>, host: Int) {
    self.log = log
    (wire, loss, hasTurn) = (nil, nil, false)
    let count = address.hosts.count
    var refusals: [PostgreSQLLogError] = []
    for host in (0..<count).map({ (first + $0) % count }) where !interrupt.isEnding {
      do throws(PostgreSQLLogError) { wire = try LogWire(host, of: address, interrupt) } catch {
        refusals.append(error)
        continue
      }
      self.host = host
      return (Result { () throws(PostgreSQLLogError) in try standing() }, host)
    }
    return (.failure(PostgreSQLLogError.first(of: refusals)), first)
  }

  private func standing() throws(PostgreSQLLogError) -> LogStanding {
    try checkServer()
    try waitForEarlierStatement()
    needsBarrier = true
    try passBarrier()
    try makeSchema()
    let answer = try checked(LogStatement.attach, [.id(log)])
    try passBarrier()
    guard let answer, !answer.rows.isEmpty else { throw .unavailable(reason: "the log was deleted meanwhile") }
    let epoch = answer.number(0, 0)
    return LogStanding(
      first: LogPlace(epoch: epoch, sequence: answer.number(0, 1), packet: answer.id(0, 2)),
      last: LogPlace(epoch: epoch, sequence: answer.number(0, 3), packet: answer.id(0, 4)))
  }

  private func checkServer() throws(PostgreSQLLogError) {
    let version = wire?.serverVersion ?? 0
    guard version >= 130_000 else { throw .unsupportedServer(version: "\(version / 10_000)") }
    _ = try checked(LogStatement.settings)
    if version >= 140_000 { _ = try checked(LogStatement.idleSetting) }
    guard let answer = try checked(LogStatement.questions), !answer.rows.isEmpty else {
      throw .unavailable(reason: "the connection was lost")
    }
    if answer.isTrue(0, 0) { throw .unavailable(reason: "the server is a standby") }
    if answer.text(0, 1) != "on" { throw .notDurable(reason: "its setting fsync is off") }
    // A service that replicates blocks of the disk writes whole pages itself.
    if replication != .below, answer.text(0, 2) != "on" {
      throw .notDurable(reason: "its setting full_page_writes is off")
    }
    let names = answer.text(0, 3)
    guard replication == .synchronous else { return }
    if names.allSatisfy(\.isWhitespace) { throw .notReplicated(reason: "synchronous_standby_names is empty") }
    // Each receiver counts as a standby then, even a backup that is being made.
    if names.contains("*") { throw .notReplicated(reason: "synchronous_standby_names is '\(names)', without a name") }
  }

  /// Waits for a statement of an earlier connection to this server, if the server still waits for a standby.
  private func waitForEarlierStatement() throws(PostgreSQLLogError) {
    guard let earlier = waiting.removeValue(forKey: host) else { return }
    guard try checked(LogStatement.waits, [.count(earlier.process)])?.isTrue(0, 0) == true else { return }
    do throws(LogWireFailure) { try earlier.waitForEnd() } catch {
      guard case .timeout = error else { return }
      wire = earlier
      lose(.silent)
      throw Self.error(error)
    }
  }

  private func makeSchema() throws(PostgreSQLLogError) {
    if try hasSchema() { return }
    var failure: LogWireFailure?
    do throws(LogWireFailure) { try wire?.runScript(LogSchema.sql) } catch { failure = error }
    needsBarrier = true
    switch failure {
    case nil: return
    case .rolledBack: _ = try checked("ROLLBACK")
    case .timeout: lose(.silent)
    case .notSent, .lost, .ended: lose(.closed)
    }
    // Another role may have made it meanwhile.
    if wire != nil, try hasSchema() { return }
    if let failure { throw Self.error(failure) }
  }

  /// False if a part is missing.
  private func hasSchema() throws(PostgreSQLLogError) -> Bool {
    guard let answer = try checked(LogSchema.shapes) else { return false }
    let found = Set(answer.rows.map { answer.text($0, 0) })
    let names = Set(found.map(Self.name))
    var isWhole = true
    for shape in LogSchema.expected.split(separator: "\n").map(String.init) where !found.contains(shape) {
      isWhole = false
      guard names.contains(Self.name(shape)) else { continue }
      throw .otherSchema(reason: "the database lacks '\(shape)', and has another object of this name")
    }
    return isWhole
  }

  private static func name(_ shape: String) -> Substring { shape.prefix { $0 != ":" } }

  // MARK: Packets

  private func parameters(_ place: LogPlace) -> [LogParameter] {
    [.id(log), .integer(place.epoch), .integer(place.sequence), .id(place.packet)]
  }

  func append(_ packet: LogPacket, after place: LogPlace) throws -> AppendAnswer {
    try passBarrier()
    let answer: LogAnswer?
    do throws(LogWireFailure) {
      answer = try run(
        LogStatement.append, parameters(place) + [.id(packet.id), .bytes(packet.bytes), .integer(Self.key(log))])
    } catch {
      switch error {
      case .notSent: throw Self.error(error)
      case .rolledBack("54000", _): throw PacketError.tooLarge(bytes: packet.bytes.count)
      // An operator intervened, perhaps after the commit.
      case .rolledBack(let state, _) where state.hasPrefix("57") || state == "40003": return .unknown
      case .rolledBack: throw Self.error(error)
      case .lost, .timeout, .ended: return .unknown
      }
    }
    if needsBarrier { return .unknown }
    guard let answer else { return .unknown }
    switch answer.status {
    case "appended": return .appended(answer.place(0))
    case "duplicate":
      // The session that appended it may have been terminated while it waited for a standby.
      needsBarrier = true
      do { try passBarrier() } catch { return .unknown }
      return .duplicate(answer.place(0))
    case "packet": return .behind(try answer.page())
    case "released": return .beforeFirst(answer.place(0))
    case "diverged": return .diverged
    default: return .unknown
    }
  }

  func read(after place: LogPlace, limit: Int) throws -> LogReading {
    try passBarrier()
    let answer = try checked(
      LogStatement.read, parameters(place) + [.count(Int32(clamping: limit))])
    switch answer?.status {
    case "released": return .beforeFirst(answer?.place(0) ?? place)
    case "diverged": return .diverged
    default: return .packets(try answer?.page() ?? LogPage([], hasMore: false))
    }
  }

  // MARK: Turns and retention

  /// The key of the advisory lock.
  private static func key(_ log: UniqueID) -> UInt64 {
    // The time of the ID is in the first eight bytes, so logs made together would share most of them.
    LogParameter.uuid(log)[8...].reduce(0) { $0 << 8 | UInt64($1) } >> 1
  }

  private var hasIdleTimeout: Bool { wire.map { $0.serverVersion >= 140_000 } ?? false }

  func takeTurn() throws -> Bool {
    if hasTurn { return true }
    let statement = hasIdleTimeout ? LogStatement.takeBoundedTurn : LogStatement.takeTurn
    let answer = try checked(statement, [.integer(Self.key(log))])
    hasTurn = answer?.isTrue(0, 0) ?? false
    return hasTurn
  }

  func endTurn() throws {
    guard hasTurn else { return }
    hasTurn = false
    _ = try checked(hasIdleTimeout ? LogStatement.endBoundedTurn : LogStatement.endTurn)
  }

  /// The most batches of 1,000 rows that one release cleans. The saves of this server wait meanwhile. The next release
  /// cleans the rest.
  private static let batches = 20

  func release(upTo place: LogPlace) throws {
    try passBarrier()
    _ = try checked(LogStatement.release, parameters(place))
    for _ in 0..<Self.batches {
      let answer = try checked(LogStatement.clean, [.id(log)])
      if answer?.isTrue(0, 0) != true { return }
    }
  }
}
#endif
