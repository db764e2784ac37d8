import Foundation
import RepriseLMDB
import RepriseObjectModel
import RepriseSystem
import RepriseTestLog
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore

/// A store as a stranger reads it who has Docs/FileFormat.md and no line of this library.
final class FormatReaderTests: XCTestCase {
  private var path = ""

  override func setUp() { path = NSTemporaryDirectory() + "reprise-reader-" + UUID().uuidString }
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func openStore() throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    // Every seventh time it is an hour behind.
    let readings = Guarded<Int64>(0)
    options.wallClock = {
      readings.withLock { readings in
        readings += 1
        return 1_790_000_000_000_000 + (readings - (readings % 7 == 0 ? 60 : 0)) * 60_000_000
      }
    }
    // Whatever is read of this store, keyframes are in the way.
    (options.keyframes.versions, options.keyframes.bytes) = (3, .max)
    return try Store.openNow(path, for: Schema(LogSample.self), options)
  }

  func testIndependentReaderDecodesTheGoldenBytes() throws {
    let golden = PythonReader.folder.appendingPathComponent("golden.txt").path
    let output = try PythonReader.run("self_test.py", golden)
    XCTAssertEqual(output.status, 0, output.errors)
    XCTAssertGreaterThan(try XCTUnwrap(output.lines("passed").first?["checks"] as? Int), 500)
  }

  func testIndependentReaderFollowsRenames() async throws {
    for models in [Schema(Before.self), Schema(After.self)] {
      var options = StoreOptions()
      options.isUnflushed = true
      let store = try Store.openNow(path, for: models, options)
      XCTAssertEqual(store.log.head, models.entities[0].name == "Before" ? 1 : 2)
      try await store.close()
      let output = try PythonReader.run("reprise_reader.py", path)
      XCTAssertEqual(output.problems, [])
      XCTAssertEqual(output.status, 0, output.errors)
    }
  }

  /// The log says what became of objects, and which attributes were required.
  func testIndependentReaderFollowsMappingsAndWidenings() async throws {
    let move = Migration(to: 1, "Moved", mapping: [.move("Before", to: "Moved")])
    for (models, plan) in [
      (Schema(Before.self), nil), (Schema(Moved.self), MigrationPlan(move)), (Schema(Wide.self), MigrationPlan(move)),
    ] {
      var options = StoreOptions()
      options.isUnflushed = true
      options.migration = plan
      let store = try Store.openNow(path, for: models, options)
      XCTAssertEqual(store.map.stored.descents.count, plan == nil ? 0 : 1)
      XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
      try await store.close()
      let output = try PythonReader.run("reprise_reader.py", path)
      XCTAssertEqual(output.problems, [])
      XCTAssertEqual(output.status, 0, output.errors)
    }
  }

  func testIndependentReaderProvesALogWithoutItsBeginning() async throws {
    var random = SeededGenerator(seed: testSeed())
    let store = try openStore()
    let entity = try XCTUnwrap(store.map.map(EntityName("Sample")))
    var state: [UniqueID: ContiguousArray<PropertyValue>] = [:]
    for part in 0..<3 {
      for round in part * 20..<part * 20 + 20 {
        let saved = await store.save(request(round, store, entity, &state, &random))
        XCTAssertNoThrow(try saved.get())
      }
      if part > 0 { try await store.log.retain(.last(Int.random(in: 1...30, using: &random))) }
      XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
      let output = try PythonReader.run("reprise_reader.py", path)
      XCTAssertEqual(output.problems, [])
      XCTAssertEqual(output.status, 0, output.errors)
    }
    try await store.close()
  }

  func testIndependentReaderReadsBlobs() async throws {
    var options = StoreOptions()
    options.isUnflushed = true
    let store = try Store.openNow(path, for: Schema(Photo.self), options)
    let entity = try XCTUnwrap(store.map.map(EntityName("Photo")))
    let sizes = [10, BlobTable.chunkSize, 3 * BlobUpload.sliceSize + 7, 20_000]
    var blobs: [Blob] = []
    for size in sizes { blobs.append(try await Blob((0..<size).map { UInt8(truncatingIfNeeded: $0) }, in: store)) }
    var changes: [(object: AnyObjectID, change: ObjectChange)] = []
    for (number, blob) in blobs.dropLast().enumerated() {
      let id = AnyObjectID(entity.entity.interned, LogFixture.object(UInt64(number)))
      changes.append((id, .inserted([.string("photo"), .blob(blob), .blob(blobs[0])])))
    }
    let saved = await store.save(SaveRequest(base: store.log.head, changes: changes))
    XCTAssertNoThrow(try saved.get())
    let output = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(output.problems, [])
    XCTAssertEqual(output.status, 0, output.errors)
    let found = output.lines("blob")
    XCTAssertEqual(Set(found.compactMap { $0["digest"] as? String }), Set(blobs.map(\.sha256)))
    XCTAssertEqual(Set(found.compactMap { $0["bytes"] as? Int }), Set(sizes))
    XCTAssertEqual(found.filter { $0["isUnused"] as? Bool == true }.map { $0["bytes"] as? Int }, [20_000])
    try await store.close()
  }

  func testIndependentReaderReadsLongValues() async throws {
    let store = try openStore()
    let entity = try XCTUnwrap(store.map.map(EntityName("Sample")))
    let id = AnyObjectID(entity.entity.interned, LogFixture.object(1))
    var values = entity.defaults
    values[LogSample.title] = .string(String(repeating: "A long text. ", count: 1_000))
    values[LogSample.blob] = .bytes((0..<50_000).map { UInt8(truncatingIfNeeded: $0) })
    let inserted = await store.save(SaveRequest(base: store.log.head, changes: [(id, .inserted(values))]))
    XCTAssertNoThrow(try inserted.get())
    for round in 0..<6 {
      let old = values
      if case .bytes(var bytes) = values[LogSample.blob] {
        bytes.replaceSubrange(20_000..<20_000 + 700 * round, with: [UInt8](repeating: 7, count: 400 * round * round))
        values[LogSample.blob] = .bytes(bytes)
      }
      if round == 4 { values[LogSample.title] = .string("short") }
      values[LogSample.count] = .int(Int64(round) + 70)
      let change = try XCTUnwrap(ObjectChange.updated(from: old, to: values))
      let saved = await store.save(SaveRequest(base: store.log.head, changes: [(id, change)]))
      XCTAssertNoThrow(try saved.get())
      let output = try PythonReader.run("reprise_reader.py", path)
      XCTAssertEqual(output.problems, [])
      XCTAssertEqual(output.status, 0, output.errors)
      let fields = try XCTUnwrap(output.lines("object").first?["fields"] as? [String: Any])
      for slot in [LogSample.title, LogSample.blob] {
        let name = entity.entity.properties[slot].name
        XCTAssertEqual(Self.text(try XCTUnwrap(fields[name])), Self.text(Self.json(values[slot])), name)
      }
    }
    // What belongs to nothing, and what is not what it was.
    let table = try store.opened(store.tables.values)
    let key = LongValueKey(object: LogFixture.object(2), property: 1, order: 1).bytes
    let row = [UInt8]("a chunk".utf8).withUnsafeBytes { ValueChunk.encoded($0) }
    try store.environment.write { (transaction) throws(StorageError) in
      try transaction.put(table, key: key.span.bytes, value: row.span.bytes)
    }
    let problems = try PythonReader.run("reprise_reader.py", path).problems
    XCTAssertEqual(problems.count, 1)
    XCTAssertTrue(problems.first?.contains("chunks of no value") ?? false, "\(problems)")
    try await store.close()
  }

  func testIndependentReaderSeesWhatTheLibrarySees() async throws {
    var random = SeededGenerator(seed: testSeed())
    let store = try openStore()
    let entity = try XCTUnwrap(store.map.map(EntityName("Sample")))
    var state: [UniqueID: ContiguousArray<PropertyValue>] = [:]
    var names: [String?] = [nil]
    for round in 0..<60 {
      let request = request(round, store, entity, &state, &random)
      let result = await store.save(request)
      XCTAssertNoThrow(try result.get())
      names.append(request.name)
    }
    let output = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(output.problems, [])
    XCTAssertEqual(output.status, 0, output.errors)

    let facts = try XCTUnwrap(output.lines("store").first)
    XCTAssertEqual(facts["log"] as? String, store.logID.description)
    XCTAssertEqual(facts["head"] as? Int, 61)
    let transactions = output.lines("transaction")
    XCTAssertEqual(transactions.map { $0["name"] as? String }, names)
    XCTAssertEqual(transactions.map { $0["position"] as? Int }, (1...61).map { $0 })
    XCTAssertEqual(Set(transactions.dropFirst().map { $0["author"] as? String }), ["ada"])
    XCTAssertEqual(output.lines("count").map { $0["count"] as? Int }, [state.count])
    XCTAssertEqual(output.lines("index").count, 5)
    XCTAssertEqual(Set(output.lines("index").map { $0["rows"] as? Int }).contains(state.count), true)

    let objects = output.lines("object")
    XCTAssertEqual(Set(objects.compactMap { $0["id"] as? String }), Set(state.keys.map(\.description)))
    for object in objects {
      let id = try XCTUnwrap(UniqueID(try XCTUnwrap(object["id"] as? String)))
      let values = try XCTUnwrap(try store.objects.values(of: id, entity, at: 61))
      XCTAssertEqual(values, state[id])
      let fields = try XCTUnwrap(object["fields"] as? [String: Any])
      for (slot, property) in entity.entity.properties.enumerated() where entity.numbers[slot] != 0 {
        // What has no field has the default, which this reader leaves to its reader.
        let found = fields[property.name].map(Self.text) ?? Self.text(Self.json(entity.defaults[slot]))
        XCTAssertEqual(found, Self.text(Self.json(values[slot])), "\(id).\(property.name)")
      }
    }
  }

  func testIndependentReaderSeesDraftsAndScreensInTheJournalAndInTheTables() async throws {
    let store = try openStore()
    let entity = try XCTUnwrap(store.map.map(EntityName("Sample")))
    let long = String(repeating: "A long text. ", count: 20)
    let id = AnyObjectID(EntityName("Sample"), LogFixture.object(1))
    let values = entity.defaults
    var changed = values
    changed[LogSample.title] = .string(long)
    store.journal.append([
      .draftBegan(DraftHeader(id: "editor", author: "ada", base: 1), generation: 1),
      .draftEdited(
        draft: "editor", generation: 1, startsGroup: true, groupName: "New",
        DraftEdit(object: id, change: .inserted(changed))),
      .draftEdited(
        draft: "editor", generation: 1, startsGroup: true, groupName: nil,
        DraftEdit(
          object: id,
          change: .updated([
            PropertyChange(slot: LogSample.title, old: .string(long), new: .string(long + "ü"))
          ]))),
      .draftUndone(draft: "editor"), .draftRedone(draft: "editor"),
      .draftEdited(
        draft: "editor", generation: 1, startsGroup: true, groupName: "Add",
        reversal: Reversal(undoes: 1, origin: .undo),
        DraftEdit(
          object: id,
          change: .updated([
            PropertyChange(slot: LogSample.title, old: .string(long + "ü"), new: .string(long))
          ]))),
      .nodePut(scene: "main", key: "list", bytes: [1, 2, 3]), .nodePut(scene: "main", key: "gone", bytes: [4]),
      .nodeRemoved(scene: "main", key: "gone"),
    ])
    try store.journal.flush()
    let before = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(before.problems, [])
    let journal = try XCTUnwrap(before.lines("journal").first)
    XCTAssertEqual(journal["tornBytes"] as? Int, 0)
    let entries = try XCTUnwrap(journal["entries"] as? [[String: Any]])
    XCTAssertEqual(
      entries.map { $0["kind"] as? String },
      ["began", "edited", "edited", "undone", "redone", "edited", "nodePut", "nodePut", "nodeRemoved", "flushed"])
    XCTAssertEqual(entries.last?["upTo"] as? Int, 1)
    XCTAssertEqual(entries[0]["author"] as? String, "ada")
    XCTAssertEqual(entries[1]["group"] as? String, "New")
    XCTAssertNil(entries[1]["reversal"] as? [String: Any])
    XCTAssertEqual((entries[5]["reversal"] as? [String: Any])?["origin"] as? String, "undo")

    try await store.journals.checkpoint()
    let after = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(after.problems, [])
    XCTAssertEqual(after.status, 0, after.errors)
    let draft = try XCTUnwrap(after.lines("draft").first)
    XCTAssertEqual(draft["id"] as? String, "editor")
    let groups = try XCTUnwrap(draft["groups"] as? [[String: Any]])
    XCTAssertEqual(groups.map { ($0["reversal"] as? [String: Any])?["undoes"] as? Int }, [nil, nil, 1])
    let redo = try XCTUnwrap(draft["redo"] as? [[String: Any]])
    XCTAssertEqual(redo.map { ($0["steps"] as? [Any])?.count }, [0])
    XCTAssertEqual(redo.map { ($0["reversal"] as? [String: Any])?["undoes"] as? Int }, [1])
    let change = try XCTUnwrap((draft["changes"] as? [[String: Any]])?.first)
    XCTAssertEqual(change["kind"] as? String, "inserted")
    XCTAssertEqual((change["fields"] as? [String: Any])?["title"] as? String, long)
    XCTAssertEqual(after.lines("node").map { $0["key"] as? String }, ["list"])
    XCTAssertEqual(after.lines("node").map { $0["state"] as? String }, ["010203"])
  }

  /// The reader is no witness if it says that everything is well whatever it is shown.
  func testIndependentReaderFindsWhatIsWrong() async throws {
    let store = try openStore()
    let entity = try XCTUnwrap(store.map.map(EntityName("Sample")))
    let id = LogFixture.object(1)
    let request = SaveRequest(
      base: 1, author: "ada", changes: [(AnyObjectID(entity.entity.interned, id), .inserted(entity.defaults))])
    _ = try await store.save(request).get()
    let sound = try PythonReader.run("reprise_reader.py", path)
    XCTAssertEqual(sound.problems, [])
    let key = ObjectKey(entity: entity.number, uuid: id).bytes
    let row = try XCTUnwrap(try value(key, store.tables.objects, store))

    func expect(_ problem: String, _ table: Table, _ key: [UInt8], _ value: [UInt8]?, line: UInt = #line) throws {
      let before = try self.value(key, table, store)
      try put(value, key, table, store)
      let output = try PythonReader.run("reprise_reader.py", path)
      XCTAssertEqual(output.status, 1, line: line)
      XCTAssertTrue(output.problems.contains { $0.contains(problem) }, "\(output.problems)", line: line)
      try put(before, key, table, store)
    }
    var flipped = row
    flipped[7] ^= 1
    try expect("wrong checksum", store.tables.objects, key, flipped)
    var other = entity.defaults
    other[LogSample.title] = .string("Forged")
    let forged = try RecordWriter.inserted(other, at: 2, entity, store.map)
    try expect("is not what the log says", store.tables.objects, key, forged)
    try expect("lacks 1 rows and has 1 too many", store.tables.objects, key, forged)
    try expect("is missing", store.tables.objects, key, nil)
    try expect("are counted", store.tables.meta, MetaKey.count(entity.number), MetaTable.bytes(UInt64(5)))
    try expect("the name 0 is not", store.tables.meta, MetaKey.name(0), [1])
    try expect("nothing reads", store.tables.meta, Array("sche\na".utf8), [1])
    try expect("no schema", store.tables.meta, MetaKey.schema, nil)
    try expect("schema is not what", store.tables.meta, MetaKey.schema, StoredSchema().encoded())
    let frame = [UInt8](repeating: 0, count: 7) + [2, 0, 0]
    try expect("log: transaction 2", store.tables.log, frame, [1, 2, 3])
    let index = try XCTUnwrap(entity.indexes[LogSample.count])
    let node = withUnsafeBytes(of: index.bigEndian) { [UInt8]($0) } + [1]
    try expect("counts 9 in 1, has 1 in 1", store.tables.indexes, node, [9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
    XCTAssertEqual(try PythonReader.run("reprise_reader.py", path).problems, [])
  }

  private func value(_ key: [UInt8], _ table: Table, _ store: Store) throws -> [UInt8]? {
    let transaction = try store.environment.beginRead()
    guard let found = try transaction.view.get(table, key: key.span.bytes) else { return nil }
    return found.withUnsafeBytes { [UInt8]($0) }
  }

  private func put(_ value: [UInt8]?, _ key: [UInt8], _ table: Table, _ store: Store) throws {
    try store.environment.write { transaction throws(StorageError) in
      if let value {
        try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
      } else {
        try transaction.delete(table, key: key.span.bytes)
      }
    }
  }
}

// MARK: Random saves

extension FormatReaderTests {
  private func request(
    _ round: Int, _ store: Store, _ entity: EntityMap, _ state: inout [UniqueID: ContiguousArray<PropertyValue>],
    _ random: inout SeededGenerator
  ) -> SaveRequest {
    var changes: [(object: AnyObjectID, change: ObjectChange)] = []
    // An object that others refer to would take them along, or leave them without it.
    let referred = Set(state.values.compactMap { $0[LogSample.parent].reference?.uuid })
    let before = state
    for number in Set((0..<4).map { _ in random.next() % 60 }).sorted() {
      let uuid = LogFixture.object(number)
      let id = AnyObjectID(entity.entity.interned, uuid)
      if let old = before[uuid] {
        if random.next() % 6 == 0, !referred.contains(uuid) {
          changes.append((id, .deleted(old)))
          state[uuid] = nil
        } else {
          var new = old
          for _ in 0..<2 { set(&new, Int(random.next() % 8), round, &random) }
          if let change = ObjectChange.updated(from: old, to: new) { changes.append((id, change)) }
          state[uuid] = new
        }
      } else {
        var new = entity.defaults
        for slot in 0..<8 { set(&new, slot, round, &random) }
        if let parent = before.keys.sorted().first(where: { state[$0] != nil }), random.next() % 2 == 0 {
          new[LogSample.parent] = .reference(AnyObjectID(entity.entity.interned, parent))
        }
        changes.append((id, .inserted(new)))
        state[uuid] = new
      }
    }
    // The first of them may have been deleted after it was referred to.
    let gone = Set(changes.compactMap { if case .deleted = $0.change { $0.object.uuid } else { nil } })
    for index in changes.indices {
      guard case .inserted(var values) = changes[index].change, let parent = values[LogSample.parent].reference,
        gone.contains(parent.uuid)
      else { continue }
      values[LogSample.parent] = .null
      changes[index].change = .inserted(values)
      state[changes[index].object.uuid] = values
    }
    let name = round % 7 == 0 ? String(repeating: "a long name ", count: 9) + "\(round)" : ["Edit", nil][round % 2]
    return SaveRequest(
      base: store.log.head, author: "ada", contextName: round % 3 == 0 ? "editor" : nil, name: name,
      changes: changes)
  }

  private func set(
    _ values: inout ContiguousArray<PropertyValue>, _ slot: Int, _ round: Int, _ random: inout SeededGenerator
  ) {
    let isNull = random.next() % 4 == 0
    switch slot {
    case LogSample.title:
      let texts = ["", "a\u{0}b", "e\u{301}", "Zürich", String(repeating: "long ", count: Int(random.next() % 900))]
      values[slot] = .string(texts[Int(random.next() % 5)] + String(round))
    case LogSample.note:
      values[slot] = isNull ? .null : .string(String(repeating: "note ü ", count: 40) + String(round))
    case LogSample.isDone: values[slot] = .bool(random.next() % 2 == 0)
    case LogSample.count: values[slot] = .int(Int64(bitPattern: random.next()) >> Int64(random.next() % 64))
    case LogSample.big: values[slot] = isNull ? .null : .unsigned(random.next())
    case LogSample.ratio:
      let numbers = [0.0, -0.0, .infinity, -.infinity, .nan, -1.5, 3e300]
      values[slot] = isNull ? .null : .double(numbers[Int(random.next() % 7)])
    case LogSample.blob:
      values[slot] = isNull ? .null : .bytes((0..<random.next() % 500).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    default: values[slot] = isNull ? .null : .uuid(LogFixture.object(random.next() % 4))
    }
  }

  /// A value as the reader writes it.
  private static func json(_ value: PropertyValue) -> Any {
    switch value {
    case .null: NSNull()
    case .bool(let it): it
    case .int(let it): it
    case .unsigned(let it): ["unsigned": it]
    case .double(let it): ["double": bits(it)]
    case .string(let it): it
    case .bytes(let it): ["bytes": hex(it)]
    case .date(let it): ["date": bits(it)]
    case .uuid(let it): ["uuid": it.description]
    case .reference(let it): ["reference": it.description]
    case .blob(let it): ["blob": it.sha256, "bytes": it.byteCount]
    }
  }

  private static func bits(_ number: Double) -> String {
    hex(withUnsafeBytes(of: number.bitPattern.bigEndian) { [UInt8]($0) })
  }

  private static func text(_ json: Any) -> String {
    let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys]
    let data = try? JSONSerialization.data(withJSONObject: json, options: options)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "not JSON: \(json)"
  }
}

private final class Before: TestModel {
  static let entity = Entity(Before.self, name: "Before", properties: [.attribute("a", Int.self, indexed: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Moved: TestModel {
  static let entity = Entity(Moved.self, name: "Moved", properties: [.attribute("a", Int.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Wide: TestModel {
  static let entity = Entity(Wide.self, name: "Moved", properties: [.attribute("a", Int?.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class After: TestModel {
  static let entity = Entity(
    After.self, name: "After", was: "Before", properties: [.attribute("b", Int.self, indexed: true, was: "a")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
