#if PostgreSQL && canImport(CReprisePostgreSQL)
import CReprisePostgreSQL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The reason why a statement has no answer.
enum LogWireFailure: Error {
  /// The statement was not sent.
  case notSent(reason: String)
  /// The server rolled the statement back, and the connection works.
  case rolledBack(state: String, reason: String)
  /// The connection was lost after the statement was sent.
  case lost(reason: String)
  /// The server did not answer.
  case timeout
  /// The thread must end.
  case ended

  static let endedReason = "the program ended the connection"
}

/// A libpq connection that never blocks in libpq. One thread uses it.
final class LogWire {
  /// The states of warnings. libpq calls the receiver on the thread.
  private final class Warnings {
    var states: [String] = []
  }

  /// How long the server may send and receive nothing.
  static let patience = Duration.seconds(5)

  private let handle: OpaquePointer
  private let address: LogAddress
  private let interrupt: LogInterrupt
  private let warnings = Warnings()

  /// - Throws: ``PostgreSQLLogError``.
  init(_ host: Int, of address: LogAddress, _ interrupt: LogInterrupt) throws(PostgreSQLLogError) {
    let parameters = address.hosts[host]
    let handle = withTexts(parameters.map(\.key)) { keys in
      withTexts(parameters.map(\.value)) { values in PQconnectStartParams(keys, values, 0) }
    }
    guard let handle else { throw .unavailable(reason: "there is no memory left") }
    self.handle = handle
    self.address = address
    self.interrupt = interrupt
    // The text has the state of the error only with this verbosity.
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    PQsetNoticeReceiver(
      handle,
      { warnings, result in
        guard let warnings, let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { return }
        Unmanaged<Warnings>.fromOpaque(warnings).takeUnretainedValue().states.append(String(cString: state))
      }, Unmanaged.passUnretained(warnings).toOpaque())
    try connect()
    PQsetnonblocking(handle, 1)
  }

  deinit { PQfinish(handle) }

  private func connect() throws(PostgreSQLLogError) {
    let deadline = ContinuousClock.now + address.connectTimeout
    var state = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
    while state != PGRES_POLLING_OK {
      guard state != PGRES_POLLING_FAILED else { throw connectionError() }
      do {
        try wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, until: deadline)
      } catch .ended {
        throw .unavailable(reason: LogWireFailure.endedReason)
      } catch {
        throw .unavailable(reason: "a server did not answer within \(address.connectTimeout)")
      }
      state = PQconnectPoll(handle)
    }
  }

  /// A failed connection has no result whose fields have the state of the error, only a text: `FATAL:  28P01: …`.
  private func connectionError() -> PostgreSQLLogError {
    let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("LOCATION:") }
    let reason = reason(lines.joined(separator: " "))
    let words = text.split(separator: ":").map { String($0.drop { $0 == " " }) }
    let state = words.first { word in
      word.utf8.count == 5 && word.contains(where: \.isNumber)
        && word.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) }
    }
    if PQconnectionNeedsPassword(handle) != 0 { return .denied(reason: reason) }
    guard let state else { return .unavailable(reason: reason) }
    if state.hasPrefix("28") || state == "42501" { return .denied(reason: reason) }
    return state == "3D000" ? .invalidConnection(reason: reason) : .unavailable(reason: reason)
  }

  private func reason(_ text: String) -> String {
    address.reason(text, password: PQpass(handle).map { String(cString: $0) })
  }

  /// The number of the server's process.
  var process: Int32 { PQbackendPID(handle) }

  /// The version of the server, such as 150004.
  var serverVersion: Int32 { PQserverVersion(handle) }

  /// Whether a warning since the last call may mean that the wait for a standby was cancelled.
  func takeCancellation() -> Bool {
    defer { warnings.states = [] }
    return warnings.states.contains { $0 == "01000" || $0 == "57P01" }
  }

  private func wait(for events: Int32, until deadline: ContinuousClock.Instant?) throws(LogWireFailure) {
    while true {
      if interrupt.isEnding { throw .ended }
      if interrupt.wait(PQsocket(handle), for: events, until: deadline) { return }
      if let deadline, .now >= deadline { throw .timeout }
    }
  }

  // MARK: Statements

  /// Runs a statement, and waits for its commit. Only the last message of the server proves the commit: an error may
  /// follow the rows.
  func run(_ sql: String, _ parameters: [LogParameter] = []) throws(LogWireFailure) -> LogAnswer? {
    try send(sql, parameters)
    var answer: LogAnswer?
    var failure: LogWireFailure?
    while let result = try nextResult() {
      let status = PQresultStatus(result)
      guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
        failure = failure ?? error(result)
        PQclear(result)
        continue
      }
      answer = LogAnswer(result)
    }
    if let failure { throw failure }
    return answer
  }

  /// Runs several statements without parameters in turn.
  func runScript(_ sql: String) throws(LogWireFailure) {
    guard PQsendQuery(handle, sql) == 1 else { throw .notSent(reason: message) }
    try flush()
    var failure: LogWireFailure?
    while let result = try nextResult() {
      if PQresultStatus(result) == PGRES_FATAL_ERROR { failure = failure ?? error(result) }
      PQclear(result)
    }
    if let failure { throw failure }
  }

  private var message: String { reason(PQerrorMessage(handle).map { String(cString: $0) } ?? "") }

  private func send(_ sql: String, _ parameters: [LogParameter]) throws(LogWireFailure) {
    // One block for all values, so that a large packet is copied once.
    let values = parameters.map(\.bytes)
    var offsets: [Int?] = []
    var block: [UInt8] = []
    block.reserveCapacity(values.reduce(1) { $0 + ($1?.count ?? 0) })
    for value in values {
      offsets.append(value == nil ? nil : block.count)
      block += value ?? []
    }
    block.append(0)
    // Packets are certainly not in the log if the server closed the connection before. Its last words come first.
    guard PQconsumeInput(handle) == 1, PQconsumeInput(handle) == 1 else { throw .notSent(reason: message) }
    let types = parameters.map(\.type)
    let lengths = values.map { Int32($0?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    let isSent = block.withUnsafeBytes { block in
      let pointers = offsets.map { offset in
        offset.flatMap { block.baseAddress?.advanced(by: $0).assumingMemoryBound(to: CChar.self) }
      }
      return PQsendQueryParams(handle, sql, Int32(parameters.count), types, pointers, lengths, formats, 1)
    }
    guard isSent == 1 else { throw .notSent(reason: message) }
    try flush()
  }

  private func flush() throws(LogWireFailure) {
    while true {
      switch PQflush(handle) {
      case 0: return
      case 1:
        // The server may wait until this side reads.
        try wait(for: POLLIN | POLLOUT, until: .now + Self.patience)
        if PQconsumeInput(handle) == 0 { throw .lost(reason: message) }
      default: throw .lost(reason: message)
      }
    }
  }

  private func nextResult() throws(LogWireFailure) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      // Each part of a large answer extends the wait.
      try wait(for: POLLIN, until: .now + Self.patience)
      if PQconsumeInput(handle) == 0 { throw .lost(reason: message) }
    }
    return PQgetResult(handle)
  }

  private func error(_ result: OpaquePointer) -> LogWireFailure {
    func field(_ letter: Unicode.Scalar) -> String? {
      PQresultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
    }
    let state = field("C") ?? ""
    let reason = field("M").map { "\(self.reason($0)) (SQLSTATE \(state))" } ?? message
    // Only an error of this severity proves that the server rolled the transaction back.
    guard field("V") == "ERROR", PQstatus(handle) == CONNECTION_OK else { return .lost(reason: reason) }
    return .rolledBack(state: state, reason: reason)
  }

  // MARK: Notifications

  /// Waits until the server sends a message, or the thread is woken. Returns whether another session has notified.
  func waitForNotification() throws(LogWireFailure) -> Bool {
    if interrupt.isEnding { throw .ended }
    if interrupt.wait(PQsocket(handle), for: POLLIN, until: nil), PQconsumeInput(handle) == 0 {
      throw .lost(reason: message)
    }
    if interrupt.isEnding { throw .ended }
    return takeNotifications()
  }

  /// Whether another session has notified. Reads only the messages that have arrived.
  func takeNotifications() -> Bool {
    var isAny = false
    while let notification = PQnotifies(handle) {
      isAny = isAny || notification.pointee.be_pid != process
      PQfreemem(notification)
    }
    return isAny
  }

  /// Sends a statement, and does not wait for its answer.
  func begin(_ sql: String) throws(LogWireFailure) { try send(sql, []) }

  /// Whether the last statement has ended. Does not wait.
  func hasEnded() -> Bool {
    while PQisBusy(handle) == 0 {
      guard let result = PQgetResult(handle) else { return true }
      PQclear(result)
    }
    return false
  }

  /// Waits once more for a statement that did not end in time.
  func waitForEnd() throws(LogWireFailure) {
    let deadline = ContinuousClock.now + Self.patience
    while !hasEnded() {
      try wait(for: POLLIN, until: deadline)
      if PQconsumeInput(handle) == 0 { throw .lost(reason: message) }
    }
  }
}
#endif
