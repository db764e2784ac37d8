import Foundation
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore

/// Indexes that are properties of their own, as the file format has them.
final class FormatIndexTests: XCTestCase {
  private var path = ""

  override func setUp() { path = NSTemporaryDirectory() + "reprise-indexes-" + UUID().uuidString }
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  func testIndependentReaderFindsTheRowsOfEveryIndex() async throws {
    var random = SeededGenerator(seed: testSeed())
    var options = StoreOptions()
    options.isUnflushed = true
    let store = try Store.openNow(path, for: Schema(Todo.self, Folder.self), options)
    let (todo, folder) = (Todo.entity.interned, Folder.entity.interned)
    let folders = (0..<3).map { _ in AnyObjectID(folder, UniqueID()) }
    let texts = [
      "", "a", "Über Nacht", "12 eggs, 3 apples", "x\u{0}y", "é e\u{301}", "Straße ٣٤/007", "ΟΣΟ 1234567890",
      "Straße, STRAẞE", "東京都の iPhone用", "Zucker\u{AD}guss ab\u{200B}cd", "ไทย ὈΔΥΣΣΕΎΣ ﬁn", "don't a=\u{338}b 한글",
    ]
    var all: [AnyObjectID: ContiguousArray<PropertyValue>] = [:]
    func text() -> PropertyValue {
      let long = Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 200..<500, using: &random) : 0
      return .string(String(repeating: "é", count: long / 2) + texts.randomElement(using: &random)!)
    }
    func values() -> ContiguousArray<PropertyValue> {
      var values = Todo.entity.defaults
      values[0] = text()
      values[1] = .bool(Bool.random(using: &random))
      values[2] = [.null, .double(0), .double(-0.0), .double(.nan), .double(-3)].randomElement(using: &random)!
      values[4] = Bool.random(using: &random) ? .null : text()
      values[5] = (folders.randomElement(using: &random)).map { .reference($0) }!
      return values
    }
    let first = folders.map { (object: $0, change: ObjectChange.inserted(Folder.entity.defaults)) }
    _ = try await store.save(SaveRequest(base: store.log.head, changes: first)).get()
    for _ in 0..<30 {
      var changes: [(object: AnyObjectID, change: ObjectChange)] = []
      for _ in 0..<4 {
        let id = AnyObjectID(todo, UniqueID())
        all[id] = values()
        changes.append((id, .inserted(all[id]!)))
      }
      for id in all.keys.shuffled(using: &random).prefix(5) where !changes.contains(where: { $0.object == id }) {
        let (old, new) = (all[id]!, values())
        let differing = old.indices.filter { !old[$0].isIdentical(to: new[$0]) }
        changes.append(
          (id, .updated(differing.map { PropertyChange(slot: $0, old: old[$0], new: new[$0]) })))
        all[id] = new
      }
      _ = try await store.save(SaveRequest(base: store.log.head, changes: changes)).get()
    }
    let output = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(output.problems, [])
    XCTAssertEqual(output.status, 0, output.errors)
    let rows = output.lines("index").reduce(into: [String: Int]()) { rows, line in
      rows[line["property"] as? String ?? ""] = line["rows"] as? Int
    }
    XCTAssertEqual(rows["Todo.[isDone, due]"], all.count)
    XCTAssertEqual(rows["Todo.[folder, isDone, due]"], all.count)
    XCTAssertEqual(rows["Todo.[title, note]"], all.count)
    XCTAssertEqual(rows["Todo.[title ignoringCase, note ignoringDiacritics+natural]"], all.count)
    XCTAssertGreaterThan(rows["Todo.words of note"] ?? 0, 0)
    let report = try await StoreMaintenance.verify(store)
    XCTAssertTrue(report.isSound, report.description)
  }

  func testIndependentReaderFindsTheRowsOfUniqueIndexes() async throws {
    var options = StoreOptions()
    options.isUnflushed = true
    let store = try Store.openNow(path, for: Schema(Member.self, Team.self), options)
    let team = AnyObjectID(Team.entity.interned, UniqueID())
    var changes = [(object: team, change: ObjectChange.inserted(Team.entity.defaults))]
    for number in 0..<100 {
      var values = Member.entity.defaults
      values[0] = number % 3 == 0 ? .null : .string("Überlang \(number)")
      values[1] = number % 5 == 0 ? .string("Straße \(number)") : .null
      values[2] = .int(Int64(number))
      values[4] = number % 7 == 0 ? .null : .reference(team)
      changes.append((AnyObjectID(Member.entity.interned, UniqueID()), .inserted(values)))
    }
    _ = try await store.save(SaveRequest(base: store.log.head, changes: changes)).get()
    let output = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(output.problems, [])
    XCTAssertEqual(output.status, 0, output.errors)
    let rows = output.lines("index").filter { ($0["property"] as? String)?.hasPrefix("Member.[") ?? false }
    XCTAssertEqual(rows.compactMap { $0["rows"] as? Int }, [100, 100, 100])
  }

  func testIndependentReaderChecksUniqueIndexes() async throws {
    var options = StoreOptions()
    options.isUnflushed = true
    let store = try Store.openNow(path, for: Schema(Seat.self, Hall.self, Ticket.self, Member.self, Team.self), options)
    let (seat, ticket) = (Seat.entity.interned, Ticket.entity.interned)
    let hall = AnyObjectID(Hall.entity.interned, UniqueID())
    func inserted(_ entity: Entity, _ values: (slot: Int, value: PropertyValue)...) -> ObjectChange {
      var all = entity.defaults
      for (slot, value) in values { all[slot] = value }
      return .inserted(all)
    }
    var changes = [(object: hall, change: inserted(Hall.entity))]
    for row in 0..<50 {
      let value = row == 0 ? PropertyValue.null : .int(Int64(row))
      changes.append((AnyObjectID(seat, UniqueID()), inserted(Seat.entity, (0, value), (2, .reference(hall)))))
      changes.append((AnyObjectID(seat, UniqueID()), inserted(Seat.entity, (0, value))))
      let holder = PropertyValue.string(String(repeating: "ü", count: 250) + "\(row)")
      changes.append((AnyObjectID(ticket, UniqueID()), inserted(Ticket.entity, (0, holder))))
      // Nil does not equal nil.
      changes.append((AnyObjectID(Member.entity.interned, UniqueID()), inserted(Member.entity)))
    }
    _ = try await store.save(SaveRequest(base: store.log.head, changes: changes)).get()
    let sound = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(sound.problems, [])
    XCTAssertEqual(sound.status, 0, sound.errors)
    let rows = sound.lines("index").reduce(into: [String: Int]()) { rows, line in
      rows[line["property"] as? String ?? ""] = line["rows"] as? Int
    }
    XCTAssertEqual([rows["Seat.[hall, row]"], rows["Ticket.[holder ignoringCase, day]"]], [100, 50])
    // What a save would refuse.
    let request = SaveRequest(
      base: store.log.head,
      changes: [
        (AnyObjectID(seat, UniqueID()), inserted(Seat.entity)),
        (AnyObjectID(Member.entity.interned, UniqueID()), inserted(Member.entity)),
      ])
    try store.environment.write { transaction in
      var appender = try TransactionAppender(store.tables, logID: store.logID, map: store.map, transaction.view)
      let plan = try SavePlan(request, appender.map, store.tables, transaction.view)
      XCTAssertNotNil(plan.refusal)
      _ = try appender.append(plan, request, transaction)
      try appender.finish(transaction)
    }
    let broken = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(
      broken.problems, ["indexes: Seat.[hall, row] is unique and repeats 1 values"])
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems.count, 1)
  }

  func testIndependentReaderFindsIndexHistories() async throws {
    var random = SeededGenerator(seed: testSeed())
    let store = try await makeHistories(&random)
    let sound = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(sound.problems, [])
    XCTAssertEqual(sound.status, 0, sound.errors)
    let found = sound.lines("history").reduce(into: [String: Int]()) { found, line in
      found[line["property"] as? String ?? ""] = line["first"] as? Int
    }
    let names = ["[rank]", "[name ignoringCase+ignoringDiacritics]", "[depot, rank]", "[weight]", "[code]"]
    XCTAssertEqual(Set(found.keys), Set(names.map { "Parcel." + $0 }))
    XCTAssertEqual(Set(found.values).count, 1)
    let report = try await StoreMaintenance.verify(store)
    XCTAssertTrue(report.isSound, report.description)
  }

  /// Of each kind of row in a history, one is removed, one is flipped and one is added.
  func testVerifyFindsDamagedHistories() async throws {
    var random = SeededGenerator(seed: testSeed())
    let store = try await makeHistories(&random)
    let table = store.tables.indexes
    var rows: [(key: [UInt8], value: [UInt8])] = []
    try store.environment.read { (transaction) throws(StorageError) in
      var cursor = try transaction.view.cursor(table)
      while let entry = try cursor.next() {
        guard entry.key.withUnsafeBytes({ IndexHistory.number(ofRow: $0) }) != nil else { continue }
        rows.append((entry.key.withUnsafeBytes { [UInt8]($0) }, entry.value.withUnsafeBytes { [UInt8]($0) }))
      }
    }
    for kind in [0, 1, 2] as [UInt8] {
      let ofKind = rows.filter { $0.key[5] == kind }
      for (key, value) in [ofKind[0], try XCTUnwrap(ofKind.randomElement(using: &random))] {
        var flipped = value
        if let place = value.indices.randomElement(using: &random) { flipped[place] ^= 4 } else { flipped = [0] }
        var later = key
        later[13] ^= 0x80
        for (changedKey, changed) in [(key, nil), (key, flipped), (later, value)] as [([UInt8], [UInt8]?)] {
          // Without its first root, a history only begins later.
          if kind == 0, changed == nil, key == ofKind[0].key { continue }
          try put(changedKey, changed, store)
          let problems = try StoreMaintenance.verifyNow(store).problems
          XCTAssertTrue(
            problems.contains { $0.hasPrefix("The history of the index over Parcel.[") },
            "kind \(kind), \(changedKey), \(changed ?? []): \(problems)")
          try put(later, nil, store)
          try put(key, value, store)
        }
      }
    }
    XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
    try await store.close()
  }

  private func put(_ key: [UInt8], _ value: [UInt8]?, _ store: Store) throws {
    try store.environment.write { transaction in
      if let value {
        try transaction.put(store.tables.indexes, key: key.span.bytes, value: value.span.bytes)
      } else {
        try transaction.delete(store.tables.indexes, key: key.span.bytes)
      }
    }
  }

  /// A store whose log begins late, with 150 parcels that change in 60 saves.
  private func makeHistories(_ random: inout SeededGenerator) async throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    let store = try Store.openNow(path, for: Schema(Parcel.self, Depot.self), options)
    let depots = (0..<3).map { _ in AnyObjectID(Depot.entity.interned, UniqueID()) }
    var all: [AnyObjectID: ContiguousArray<PropertyValue>] = [:]
    var next: Int64 = 0
    func values() -> ContiguousArray<PropertyValue> {
      next += 1
      var values = Parcel.entity.defaults
      values[0] = .string(["Ä", "b", "Überlang ", ""].randomElement(using: &random)! + String(next % 7))
      values[1] = .int(Int64.random(in: 0..<50, using: &random))
      values[2] = [.null, .double(-0.5), .double(.nan)].randomElement(using: &random)!
      values[3] = next % 4 == 0 ? .null : .int(next)
      values[4] = .string("\(next)")
      values[5] = depots.randomElement(using: &random).map { .reference($0) }!
      return values
    }
    let first = depots.map { (object: $0, change: ObjectChange.inserted(Depot.entity.defaults)) }
    _ = try await store.save(SaveRequest(base: store.log.head, changes: first)).get()
    for step in 0..<60 {
      var changes: [(object: AnyObjectID, change: ObjectChange)] = []
      for id in all.keys.sorted().shuffled(using: &random).prefix(8) {
        let old = all[id]!
        if changes.count % 4 == 3 {
          changes.append((id, .deleted(old)))
          all[id] = nil
          continue
        }
        let new = values()
        let differing = old.indices.filter { !old[$0].isIdentical(to: new[$0]) }
        changes.append((id, .updated(differing.map { PropertyChange(slot: $0, old: old[$0], new: new[$0]) })))
        all[id] = new
      }
      for _ in 0..<(step == 0 ? 150 : 2) {
        let id = AnyObjectID(Parcel.entity.interned, UniqueID())
        all[id] = values()
        changes.append((id, .inserted(all[id]!)))
      }
      _ = try await store.save(SaveRequest(base: store.log.head, changes: changes)).get()
      if step == 30 { try await store.log.retain(.from(12)) }
    }
    return store
  }

  func testTheSchemaOfAnIndexHasTheBytesOfThePage() throws {
    var entity = StoredEntity(number: 1, name: "T", properties: [])
    entity.properties = [
      StoredProperty(number: 1, name: "a", role: .attribute(.string, isOptional: false), defaultValue: .string("")),
      StoredProperty(number: 2, name: "b", role: .attribute(.bool, isOptional: false), defaultValue: .bool(false)),
      StoredProperty(
        number: 3, name: "[b, a]",
        role: .columns([
          StoredColumn(property: 2, collation: .binary), StoredColumn(property: 1, collation: .natural),
        ]), index: 4),
      StoredProperty(number: 5, name: "w", role: .words(attribute: 1, version: 1), index: 5),
      StoredProperty(
        number: 6, name: "[a]",
        role: .columns([StoredColumn(property: 1, collation: .binary)], uniqueness: .nilsDiffer),
        index: 6),
      StoredProperty(
        number: 7, name: "[b]",
        role: .columns([StoredColumn(property: 2, collation: .binary)], uniqueness: .nilsAreEqual),
        index: 7),
    ]
    for (number, uniqueness) in [(8, .none), (9, .nilsDiffer), (10, .nilsAreEqual)] as [(UInt32, Uniqueness)] {
      var property = StoredProperty(
        number: number, name: "h\(number)",
        role: .columns([StoredColumn(property: 1, collation: .binary)], uniqueness: uniqueness), index: number)
      property.keepsHistory = true
      entity.properties.append(property)
    }
    var schema = StoredSchema()
    schema.entities = [entity]
    let bytes = schema.encoded()
    let columns: [UInt8] = [3, 6] + Array("[b, a]".utf8) + [4, 4, 2, 2, 0, 1, 7] + Array("natural".utf8)
    let words: [UInt8] = [5, 1] + Array("w".utf8) + [5, 5, 1, 1]
    let unique: [UInt8] = [6, 3] + Array("[a]".utf8) + [6, 6, 1, 1, 0]
    let uniqueWithNil: [UInt8] = [7, 3] + Array("[b]".utf8) + [7, 7, 1, 2, 0]
    let histories = (8..<11 as Range<UInt8>).flatMap { number -> [UInt8] in
      [number, number < 10 ? 2 : 3] + Array("h\(number)".utf8) + [number, number, 1, 1, 0]
    }
    let all = columns + words + unique + uniqueWithNil + histories
    XCTAssertEqual(Array(bytes.suffix(all.count)), all)
    XCTAssertEqual(try bytes.withUnsafeBytes { try StoredSchema(encoded: $0) }, schema)
  }
}
