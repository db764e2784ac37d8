import RepriseCore
import RepriseSharing

extension LogTransportConformance {
  func checkRaces() async throws {
    let log = UniqueID()
    var (one, two) = (try await server(log), try await server(log))
    for _ in 0..<8 {
      let packets = (one.packet(), two.packet())
      let (transports, place) = ((one.transport, two.transport), one.last)
      async let first = transports.0.append(packets.0, after: place)
      async let second = transports.1.append(packets.1, after: place)
      let (answers, ids) = (try await [first, second], [packets.0.id, packets.1.id])
      let names = answers.map(\.name).joined(separator: " and ")
      guard let winner = answers.firstIndex(where: { if case .appended = $0 { true } else { false } }),
        case .appended(let next) = answers[winner], case .behind(let page) = answers[1 - winner],
        page.packets.map(\.place) == [next], page.packets.map(\.packet.id) == [ids[winner]], !page.hasMore
      else {
        throw failure(
          .races,
          "two appends after one place got \(names). One must be `appended`. The other one must be `behind`, with "
            + "exactly the packet that was first.")
      }
      (one.last, two.last) = (next, next)
    }
  }

  func checkDuplicates() async throws {
    let log = UniqueID()
    var one = try await server(log)
    let start = one.last
    let packet = try await append(&one, .duplicates)
    let place = one.last
    for _ in 0..<5 { try await append(&one, .duplicates) }
    let two = try await server(log)
    func require(_ transport: any LogTransport, _ moment: String) async throws {
      let answer = try await transport.append(packet, after: start)
      guard case .duplicate(place) = answer else {
        throw failure(.duplicates, "a packet that was appended again \(moment) got \(answer.name), not `duplicate`.")
      }
    }
    try await require(one.transport, "over the same connection")
    try await require(two.transport, "over another connection")
    try await one.transport.release(upTo: place)
    try await require(two.transport, "after its release")
  }

  func checkReading() async throws {
    let log = UniqueID()
    var one = try await server(log)
    let start = one.last
    var made: [LogPacket] = []
    for count in [0, 1, 300, 70_000, 8 << 20, 5] + Array(repeating: 20, count: 6) {
      let filler = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      made.append(try await append(&one, .reading, filler: filler))
    }
    let two = try await server(log)
    for limit in [1, 5, 256] {
      let read = try await readAll(two.transport, after: start, limit: limit, .reading)
      try requireOrder(read, after: start, .reading)
      guard read.map(\.packet) == made else {
        throw failure(
          .reading, "the log has \(made.count) packets, and a reading returned \(read.count) or other bytes.")
      }
    }
    guard two.last == one.last else {
      throw failure(
        .reading, "for a new connection, the last packet is \(two.last.sequence), not \(one.last.sequence).")
    }
  }

  func checkDivergence() async throws {
    let log = UniqueID()
    var one = try await server(log)
    for _ in 0..<3 { try await append(&one, .divergence) }
    let last = one.last
    let wrong = [
      LogPlace(epoch: last.epoch, sequence: last.sequence, packet: UniqueID()),
      LogPlace(epoch: last.epoch + 1, sequence: last.sequence, packet: last.packet),
      LogPlace(epoch: last.epoch, sequence: last.sequence + 1, packet: UniqueID()),
    ]
    for place in wrong {
      let answer = try await one.transport.append(LogPacket(after: place.packet, in: log), after: place)
      let reading = try await one.transport.read(after: place, limit: 5)
      guard case .diverged = answer, case .diverged = reading else {
        throw failure(
          .divergence,
          "an append and a reading after a place that the log lacks got \(answer.name) and \(reading.name), not "
            + "`diverged`.")
      }
    }
    try await append(&one, .divergence)
  }

  func checkRelease() async throws {
    let log = UniqueID()
    var one = try await server(log)
    let start = one.last
    var places: [LogPlace] = []
    for _ in 0..<6 {
      try await append(&one, .release)
      places.append(one.last)
    }
    // The log does not have this place.
    try await one.transport.release(upTo: LogPlace(epoch: start.epoch, sequence: 2, packet: UniqueID()))
    try requireOrder(try await readAll(one.transport, after: start, limit: 9, .release), after: start, .release)
    try await one.transport.release(upTo: places[2])
    let two = try await makeTransport()
    let standing = try await two.attach(to: log)
    let reading = try await two.read(after: start, limit: 9)
    let answer = try await two.append(LogPacket(after: nil, in: log), after: start)
    guard standing == LogStanding(first: places[2], last: places[5]), case .beforeFirst(places[2]) = reading,
      case .beforeFirst(places[2]) = answer
    else {
      throw failure(
        .release,
        "after a release of three packets, the log begins after \(standing.first.sequence). A reading and an append "
          + "before that got \(reading.name) and \(answer.name), not `beforeFirst`.")
    }
    try requireOrder(try await readAll(two, after: places[2], limit: 9, .release), after: places[2], .release)
    try await append(&one, .release)
  }

  func checkSeparation() async throws {
    var (one, two) = (try await server(UniqueID()), try await server(UniqueID()))
    let start = two.last
    for _ in 0..<3 { try await append(&one, .separation) }
    try await append(&two, .separation)
    try requireOrder(try await readAll(two.transport, after: start, limit: 9, .separation), after: start, .separation)
  }

  func checkConnection() async throws {
    let log = UniqueID()
    var one = try await server(log)
    try await append(&one, .connection)
    await one.transport.detach()
    guard let last = try? await one.transport.attach(to: log).last, last == one.last else {
      throw failure(.connection, "a connection that was ended cannot be made again, or begins at another place.")
    }
    try await append(&one, .connection)
    // Two servers take turns, and none waits for good.
    var two = try await server(log)
    for _ in 0..<3 {
      if try await one.transport.takeTurn() { try await one.transport.endTurn() }
      if try await two.transport.takeTurn() { try await append(&two, .connection) }
      try await two.transport.endTurn()
    }
    await one.transport.detach()
    await two.transport.detach()
  }
}
