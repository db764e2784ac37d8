import RepriseEventStore
import RepriseLMDB
import RepriseLog
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSharing
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Whatever one replica saves, the others have after its packets, row by row.
@MainActor
final class PacketApplierTests: XCTestCase {
  private static let schema = Schema(
    Parcel.self, Depot.self, Note.self, Notebook.self, Student.self, Course.self, Diary.self, Photo.self)

  func testAReplicaHasEachRowOfItsSource() async throws {
    for seed in testSeeds(4) {
      var random = SeededGenerator(seed: seed)
      let pair = try await ReplicaPair(Self.schema) { store in
        var edits = RandomEdits(store, seed)
        for _ in 0..<Int.random(in: 0...10, using: &random) { try await edits.save() }
      }
      var edits = RandomEdits(pair.source, seed &+ 1)
      for round in 1...6 {
        for _ in 0..<Int.random(in: 1...12, using: &random) { try await edits.save() }
        var packets = try pair.packets(of: Int.random(in: 1...5, using: &random))
        while !packets.isEmpty {
          let count = Int.random(in: 1...packets.count, using: &random)
          try pair.apply(Array(packets[..<count]))
          packets.removeFirst(count)
        }
        try pair.requireEqual("seed \(seed), round \(round)")
      }
    }
  }

  func testAReplicaTakesWhatANewerProgramAdds() async throws {
    let pair = try await ReplicaPair(Schema(PlainParcel.self, PlainDepot.self)) { store in
      let context = RootContext(store)
      for number in 0..<50 { context.insert(PlainParcel("parcel \(number)", rank: number % 7)) }
      try await context.save()
    }
    let seen = RootContext(pair.replica)
    XCTAssertEqual(try seen.count(Fetch<PlainParcel>()), 50)
    // New entities, and histories of the indexes.
    try await pair.openSource(Self.schema)
    var edits = RandomEdits(pair.source, testSeed())
    for _ in 0..<10 { try await edits.save() }
    try pair.apply(try pair.packets(of: 4))
    try pair.requireEqual()
    try seen.refresh()
    XCTAssertEqual(try seen.count(Fetch<PlainParcel>()), try RootContext(pair.source).count(Fetch<Parcel>()))
  }

  func testAPacketThatDoesNotFitChangesNothing() async throws {
    let pair = try await ReplicaPair(Self.schema) { _ in }
    let other = try await ReplicaPair(Self.schema) { _ in }
    for pair in [pair, other] {
      let context = RootContext(pair.source)
      for name in ["a", "b", "c"] {
        context.insert(Depot(name))
        try await context.save()
      }
    }
    let packets = try pair.packets(of: 1)
    func problem(_ packets: LogPacket...) -> PacketError? {
      do { try pair.apply(packets) } catch { return error as? PacketError }
      return nil
    }
    let stranger = try other.packets(of: 1)[0]
    XCTAssertEqual("\(problem(stranger)!)".prefix(33), "The packet belongs to the log \(other.source.logID)".prefix(33))
    guard case .otherPredecessor(packets[1].predecessor, nil)? = problem(packets[1]) else { return XCTFail() }
    guard case .otherPredecessor(packets[1].predecessor, nil)? = problem(packets[1], packets[0]) else {
      return XCTFail()
    }
    guard case .otherPredecessor? = problem(packets[0], packets[2]) else { return XCTFail() }
    XCTAssertNil(problem(packets[0]))
    guard case .otherPredecessor(nil, packets[0].id)? = problem(packets[0]) else { return XCTFail() }
    XCTAssertNil(problem(packets[1], packets[2]))
    try pair.requireEqual()
  }

  func testADamagedPacketIsRefused() async throws {
    let pair = try await ReplicaPair(Self.schema) { _ in }
    let context = RootContext(pair.source)
    context.insert(Depot("Harbour"))
    try await context.save("Add")
    let bytes = try pair.packets(of: 1)[0].bytes
    for place in bytes.indices {
      for damaged in [bytes[..<place] + [bytes[place] ^ 1] + bytes[(place + 1)...], bytes[..<place]] {
        XCTAssertThrowsError(try LogPacket(bytes: Array(damaged)), "byte \(place)") { error in
          guard case PacketError.damaged = error else { return XCTFail("byte \(place): \(error)") }
        }
      }
    }
  }

  func testNamesWithOtherNumbersAreRefused() async throws {
    let pair = try await ReplicaPair(Self.schema) { _ in }
    let context = RootContext(pair.source, author: "ada")
    context.insert(Depot("Harbour"))
    try await context.save()
    try pair.replica.environment.write { (transaction) throws(StorageError) in
      let meta = MetaTable(pair.replica.tables.meta)
      try meta.put(name: "bob", number: 0, transaction)
      try meta.put(MetaKey.nameCount, MetaTable.bytes(UInt32(1)), transaction)
    }
    XCTAssertThrowsError(try pair.apply(try pair.packets(of: 1))) { error in
      XCTAssertTrue(
        "\(error)".contains("the next name has the number 1 here, and 0 in another copy of the log"), "\(error)")
    }
  }

  func testABlobWithOtherBytesIsRefused() async throws {
    let pair = try await ReplicaPair(Self.schema) { _ in }
    let context = RootContext(pair.source)
    let blob = try await Blob(Array("harbour".utf8), in: pair.source)
    context.insert(Photo(name: "x", original: blob))
    try await context.save()
    var bytes = try pair.packets(of: 1)[0].bytes.dropFirst(4)
    let place = try XCTUnwrap(bytes.firstRange(of: Array("harbour".utf8)))
    bytes.replaceSubrange(place, with: Array("Harbour".utf8))
    var writer = ByteWriter.sealing(reserving: bytes.count)
    writer.append(bytes)
    let forged = try LogPacket(bytes: writer.sealed())
    XCTAssertThrowsError(try pair.apply([forged])) { error in
      XCTAssertTrue("\(error)".contains("the blob \(blob.digest) has other bytes"), "\(error)")
    }
  }

  /// Somebody who can write to the shared log can give a packet a valid checksum.
  func testNoForgedPacketTrapsOrIsAppliedInPart() async throws {
    let pair = try await ReplicaPair(Self.schema) { store in
      let context = RootContext(store)
      for name in ["a", "b", "c"] { context.insert(Depot(name)) }
      try await context.save()
    }
    let context = RootContext(pair.source)
    try context.fetch(Fetch<Depot>())[0].name = "Harbour"
    context.insert(Photo(name: "x", original: try await Blob([1, 2, 3], in: pair.source)))
    try await context.save("Add")
    let packet = try pair.packets(of: 1)[0]
    let head = try pair.replica.refreshedHead()
    var refused = 0
    for place in 5..<packet.bytes.count {
      for value in [packet.bytes[place] ^ 1, packet.bytes[place] &+ 0x80, 0xFF] {
        var writer = ByteWriter.sealing(reserving: packet.bytes.count)
        writer.append(packet.bytes[4..<place])
        writer.append(value)
        writer.append(packet.bytes[(place + 1)...])
        guard let forged = try? LogPacket(bytes: writer.sealed()), forged != packet else { continue }
        do {
          try pair.replica.environment.write { (transaction) throws(PacketError) in
            var applier = try PacketError.converting { () throws(StorageError) in
              try PacketApplier(
                pair.replica.tables, logID: pair.replica.logID, after: nil, keyframes: KeyframeSpacing(),
                transaction.view)
            }
            try applier.apply(forged, transaction)
            // What no hash covers: the ID of the packet and of its maker, the log time, and versions of computations.
            throw PacketError.damaged(reason: "accepted")
          }
        } catch {
          if "\(error)".contains("accepted") { continue }
          refused += 1
        }
        XCTAssertEqual(try pair.replica.refreshedHead(), head)
      }
    }
    XCTAssertGreaterThan(refused, packet.bytes.count * 2)
    try pair.apply([packet])
    try pair.requireEqual()
  }
}

/// Saves of random changes of all kinds.
@MainActor
private struct RandomEdits {
  private let context: RootContext
  private let store: Store
  private var random: SeededGenerator
  private var deleted: [AnyObjectID] = []
  private var code = 0

  init(_ store: Store, _ seed: UInt64) {
    self.store = store
    random = SeededGenerator(seed: seed)
    context = RootContext(store, author: ["ada", "bob", "Ünal", ""].randomElement(using: &random), name: "desk")
  }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private mutating func word() -> String {
    ["tea", "Tea", "milk", "Käse", "", String(repeating: "long ", count: 600), "a b c"].randomElement(using: &random)!
  }

  mutating func save() async throws {
    for _ in 0..<Int.random(in: 1...6, using: &random) { try await edit() }
    if chance(12), context.canUndo { context.undo() }
    do {
      try await context.save(chance(3) ? nil : "save \(Int.random(in: 0..<9, using: &random))")
    } catch SaveError.refused {
      context.discard()
    }
  }

  private mutating func edit() async throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      let parcel = context.insert(Parcel(word(), rank: Int.random(in: 0..<20, using: &random)))
      code += 1
      if chance(2) { parcel.code = code * 1_000 + Int.random(in: 0..<1_000, using: &random) }
    case 1:
      guard let parcel = try any(Parcel.self) else { return }
      parcel.rank = Int.random(in: 0..<20, using: &random)
      parcel.weight = chance(2) ? nil : Double.random(in: 0..<9, using: &random)
      parcel.remark = word() + parcel.remark.prefix(9_000)
    case 2: context.insert(Depot(word()))
    case 3: try any(Parcel.self)?.depot = try any(Depot.self)
    case 4: context.insert(Note(title: word(), body: chance(3) ? nil : word(), rank: code))
    case 5:
      guard let note = try any(Note.self) else { return }
      note.notebook = chance(3) ? nil : context.insert(Notebook(name: word()))
      note.body = word() + word()
    case 6: context.insert(Student(word()))
    case 7:
      guard let student = try any(Student.self), let other = try any(Student.self) else { return }
      student.friends.insert(other)
      student.courses.insert(context.insert(Course(word())))
    case 8:
      let bytes = (0..<Int.random(in: 0..<9_000, using: &random)).map { _ in UInt8.random(in: 0...9, using: &random) }
      context.insert(Photo(name: word(), original: try await Blob(bytes, in: store)))
    case 9: if let photo = try any(Photo.self), let other = try any(Photo.self) { photo.original = other.original }
    case 10:
      let all: [(any PersistentModel)?] = [
        try any(Parcel.self), try any(Notebook.self), try any(Student.self), try any(Depot.self), try any(Photo.self),
      ]
      if let object = all.randomElement(using: &random)! { context.delete(object) }
    default: try any(Student.self)?.name = word()
    }
  }

  private mutating func any<Model: PersistentModel>(_ model: Model.Type) throws -> Model? {
    try context.fetch(Fetch<Model>()).randomElement(using: &random)
  }
}
