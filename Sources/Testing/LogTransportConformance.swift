import RepriseCore
public import RepriseSharing

/// Checks that your own adapter keeps the promises of `LogTransport`, together with its system.
///
/// ```swift
/// func testMyLog() async throws {
///   let address = try await startServer()
///   try await LogTransportConformance { MyLog(address) }.run()
/// }
/// ```
///
/// It needs no test framework: ``run()`` throws a ``LogTransportFailure``. Each run uses new logs in the system.
public struct LogTransportConformance: Sendable {
  let makeTransport: @Sendable () async throws -> any LogTransport
  let interrupt: (@Sendable () async throws -> Void)?
  let seed: UInt64
  let rounds: Int

  /// Makes a check of an adapter.
  ///
  /// - Parameters:
  ///   - seed: The seed of the random numbers. By default, each run has a different seed.
  ///   - rounds: How many packets each of three servers appends, in the check of several servers.
  ///   - interrupt: Breaks connections, or ends the leader of the system. The check calls it while servers append, and
  ///     goes on after it returns. `nil` if nothing shall fail.
  ///   - makeTransport: Makes a new connection to the same system, as another server does.
  public init(
    seed: UInt64 = UInt64(UInt32.random(in: 1 ... .max)), rounds: Int = 50,
    interrupt: (@Sendable () async throws -> Void)? = nil,
    makeTransport: @escaping @Sendable () async throws -> any LogTransport
  ) {
    self.makeTransport = makeTransport
    self.interrupt = interrupt
    self.seed = seed
    self.rounds = rounds
  }

  /// Runs all checks. Takes about three hundred appends, and one packet of 8 MiB.
  ///
  /// - Throws: ``LogTransportFailure``, and the errors of the adapter and of the initializer's closures.
  public func run() async throws {
    try await checkRaces()
    try await checkDuplicates()
    try await checkReading()
    try await checkDivergence()
    try await checkRelease()
    try await checkSeparation()
    try await checkConnection()
    try await checkInterruption()
  }

  // MARK: One server

  /// A connection to a log.
  struct Server {
    let transport: any LogTransport
    let log: UniqueID
    var last: LogPlace

    func packet(filler: [UInt8] = []) -> LogPacket { LogPacket(after: last.packet, in: log, filler: filler) }
  }

  func server(_ log: UniqueID) async throws -> Server {
    let transport = try await makeTransport()
    return Server(transport: transport, log: log, last: try await transport.attach(to: log).last)
  }

  func failure(_ check: LogTransportFailure.Check, _ reason: String) -> LogTransportFailure {
    LogTransportFailure(check: check, reason: reason, seed: seed)
  }

  /// Appends a packet that nothing may refuse.
  @discardableResult
  func append(
    _ server: inout Server, _ check: LogTransportFailure.Check, filler: [UInt8] = []
  ) async throws -> LogPacket {
    let packet = server.packet(filler: filler)
    let answer = try await server.transport.append(packet, after: server.last)
    guard case .appended(let place) = answer, place.follows(server.last), place.packet == packet.id else {
      throw failure(check, "an append to the end of the log got \(answer.name), not `appended` with its place.")
    }
    server.last = place
    return packet
  }

  /// All packets after a place.
  func readAll(
    _ transport: any LogTransport, after place: LogPlace, limit: Int, _ check: LogTransportFailure.Check
  ) async throws -> [(place: LogPlace, packet: LogPacket)] {
    var all: [(place: LogPlace, packet: LogPacket)] = []
    while true {
      let last = all.last?.place ?? place
      guard case .packets(let page) = try await transport.read(after: last, limit: limit),
        page.packets.count <= limit, !page.hasMore || !page.packets.isEmpty
      else { throw failure(check, "a reading with the limit \(limit) did not get the packets after \(last.sequence).") }
      all += page.packets
      if !page.hasMore { return all }
    }
  }

  func requireOrder(
    _ packets: [(place: LogPlace, packet: LogPacket)], after start: LogPlace, _ check: LogTransportFailure.Check
  ) throws {
    var last = start
    for (place, packet) in packets {
      guard place.follows(last), packet.predecessor == last.packet, place.packet == packet.id else {
        throw failure(check, "the packet at \(place.sequence) does not follow the packet at \(last.sequence).")
      }
      last = place
    }
  }
}

extension LogPlace {
  func follows(_ other: LogPlace) -> Bool { epoch == other.epoch && sequence > other.sequence }
}

extension AppendAnswer {
  var name: String {
    switch self {
    case .appended: "`appended`"
    case .duplicate: "`duplicate`"
    case .behind: "`behind`"
    case .beforeFirst: "`beforeFirst`"
    case .diverged: "`diverged`"
    case .unknown: "`unknown`"
    }
  }
}

extension LogReading {
  var name: String {
    switch self {
    case .packets: "`packets`"
    case .beforeFirst: "`beforeFirst`"
    case .diverged: "`diverged`"
    }
  }
}
