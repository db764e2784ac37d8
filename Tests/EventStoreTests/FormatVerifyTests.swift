import Foundation
import RepriseLMDB
import RepriseObjectModel
import RepriseSystem
import RepriseTestLog
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore
@testable import RepriseLog

/// Whatever the independent reader rejects, `verify()` finds.
final class FormatVerifyTests: XCTestCase {
  private var path = ""

  override func setUp() { path = NSTemporaryDirectory() + "reprise-verify-" + UUID().uuidString }
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private struct Row {
    let key: [UInt8]
    let value: [UInt8]
  }

  /// A change of one or more rows that Docs/FileFormat.md may not allow.
  private struct Case {
    let name: String
    let table: Table
    /// Without a value, the row is removed.
    let rows: [(key: [UInt8], value: [UInt8]?)]
  }

  func testVerifyFindsWhateverTheReaderRejects() async throws { try await compare(withFloor: false) }

  func testVerifyAboveAFloorFindsWhateverTheReaderRejects() async throws { try await compare(withFloor: true) }

  private func compare(withFloor: Bool) async throws {
    let store = try await makeStore(withFloor: withFloor)
    XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
    var random = SeededGenerator(seed: testSeed())
    let cases = try self.cases(store, &random)
    let verdicts = try self.verdicts(of: cases, store)
    check(cases, verdicts)
    XCTAssertGreaterThan(verdicts.count { !$0.reader.isEmpty }, cases.count / 3)
    try await store.close()
  }

  /// The problems of a case, as the library and as the independent reader find them.
  private struct Verdict {
    let library: [String]
    let reader: [String]
  }

  private func verdicts(of cases: [Case], _ store: Store) throws -> [Verdict] {
    let folder = path + "-cases"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var found: [[String]] = []
    for (number, one) in cases.enumerated() {
      let before = try one.rows.map { (key: $0.key, value: try value($0.key, one.table, store)) }
      try put(one.rows, one.table, store)
      do throws(StoreError) {
        found.append(try StoreMaintenance.verifyNow(store).problems)
      } catch {
        found.append(["\(error)"])
      }
      let copy = folder + "/\(number)"
      try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: path + "/data.mdb", toPath: copy + "/data.mdb")
      try put(before, one.table, store)
    }
    XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
    let output = try PythonReader.run("reprise_reader.py", "--each", folder)
    var read: [Int: [String]] = [:]
    for verdict in output.lines("verdict") {
      guard let number = Int(verdict["store"] as? String ?? "") else { continue }
      read[number] = verdict["problems"] as? [String] ?? []
    }
    XCTAssertEqual(read.count, cases.count, output.errors)
    return found.enumerated().map { Verdict(library: $1, reader: read[$0] ?? []) }
  }

  private func check(_ cases: [Case], _ verdicts: [Verdict]) {
    for (one, verdict) in zip(cases, verdicts) where !verdict.reader.isEmpty {
      XCTAssertNotEqual(
        verdict.library, [], "verify() approves \(one.name), and the reader says \(verdict.reader)")
    }
  }

  // MARK: The grammar

  /// Grammar lines of which no row of these stores is an instance, and why. A line that ends in "…" is a prefix.
  private static let exceptions = [
    "afterimages …": "`FormatAfterImageTests` changes after-images",
    "journal-files …": "it describes files: `JournalDamageTests`",
    "launch-files …": "it describes files: `HeaderFieldTests`",
    "log-time logTime …": "it is a sum, not bytes",
    "indexes key := index:u32be FF …": "the page index-history has these keys",
    "index-history key := index:u32be FF 03": "only a process that builds a history has it",
    "index-history build …": "only a process that builds a history has it",
    "index-history change …": "only a tree of several levels has it",
    "log body := 06 object edge": "reserved",
    "log body := 07 object edge": "reserved",
    "log body := 08 …": "reserved",
    "log body := 09 limit": "reserved",
    "log edge …": "reserved",
    "log change := number:varint": "only an erasure writes it: `ErasureTests`",
    "log schema-change := 03 …": "only a migration writes it",
    "log schema-change := 04 …": "only a migration writes it",
    "schema former …": "only a renamed or changed property has it",
    "schema descent …": "only a migration writes it",
    "property-values later …": "only a later version writes it",
    "property-values collection …": "a reader of a record does not read collections",
  ]

  private static func isException(_ line: String) -> Bool {
    exceptions.keys.contains { name in
      name == line || name.hasSuffix("…") && line.hasPrefix(name.dropLast())
    }
  }

  /// The violations are made from the grammar lines of the pages, so a new line without a row in a store fails.
  func testVerifyFindsViolationsOfEachGrammarLine() async throws {
    let seed = testSeed()
    var found: Set<String> = []
    var lines: [String] = []
    let folder = path
    for number in 0..<3 {
      path = folder + "-\(number)"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let store = try await number < 2 ? makeStore(withFloor: number == 1) : makeSortedStore()
      XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
      let violations = try FormatViolations(of: path, without: found, seed: seed)
      let cases = try violations.all.map { violation in
        Case(
          name: "\(violation.table): \(violation.kind), against \(violation.lines)",
          table: try table(violation.table, store), rows: violation.rows)
      }
      let verdicts = try self.verdicts(of: cases, store)
      check(cases, verdicts)
      for (violation, verdict) in zip(violations.all, verdicts) {
        if !verdict.library.isEmpty {
          found.formUnion(violation.lines)
        } else if violation.kind == "a value that ends within a part" {
          XCTFail("verify() approves a value of \(violation.table) that ends within \(violation.lines)")
        }
      }
      lines = violations.lines
      try await store.close()
    }
    XCTAssertEqual(
      lines.filter { !found.contains($0) && !Self.isException($0) }, [],
      "verify() found no violation of these grammar lines: give a store of this test a row with each")
    for name in Self.exceptions.keys {
      let known = lines.contains { name.hasSuffix("…") ? $0.hasPrefix(name.dropLast()) : $0 == name }
      XCTAssertTrue(known, "no grammar line is \(name)")
    }
    path = folder
  }

  // MARK: The next step

  func testTheNamedStepRepairsTheStore() async throws {
    let seed = testSeed()
    let folder = path
    for number in 0..<3 {
      path = folder + "-\(number)"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let store = try await number < 2 ? makeStore(withFloor: number == 1, withFacts: false) : makeSortedStore()
      var random = SeededGenerator(seed: seed)
      try FileManager.default.copyItem(atPath: path + "/data.mdb", toPath: path + "-base")
      defer { try? FileManager.default.removeItem(atPath: path + "-base") }
      var cases = try self.cases(store, &random)
      cases += try FormatViolations(of: path, without: [], seed: seed).all.map { violation in
        Case(
          name: "\(violation.table): \(violation.kind), against \(violation.lines)",
          table: try table(violation.table, store), rows: violation.rows)
      }
      // All of them take two minutes.
      for one in cases.shuffled(using: &random).prefix(40) {
        try await repair(one, store, Schema(LogSample.self, Photo.self, Sorted.self))
      }
      try await store.close()
    }
    path = folder
  }

  /// Takes the step that `verify()` names, in a copy of the store.
  private func repair(_ one: Case, _ store: Store, _ schema: Schema) async throws {
    let before = try one.rows.map { (key: $0.key, value: try value($0.key, one.table, store)) }
    try put(one.rows, one.table, store)
    let report = try? StoreMaintenance.verifyNow(store)
    let (copy, repaired) = (path + "-copy", path + "-repaired")
    defer { for path in [copy, repaired] { try? FileManager.default.removeItem(atPath: path) } }
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    try put(before, one.table, store)
    guard let report, !report.isSound else { return }
    // Free pages of the copy have no rows of other cases, which a salvage might find.
    try FileManager.default.copyItem(atPath: path + "-base", toPath: copy + "/data.mdb")
    try change(copy, one)
    var lost: [String] = []
    do {
      if !report.steps.isDisjoint(with: [.backup, .salvage]) {
        let salvage = try StoreMaintenance.salvage(copy, to: repaired, sliceSize: 100)
        // A blob whose bytes are damaged exists nowhere else.
        lost = salvage.problems.filter { $0.hasPrefix("The blob of ") && $0.hasSuffix("bytes of it are missing.") }
      } else if report.steps.contains(.rebuild) {
        _ = try StoreMaintenance.rebuild(copy, sliceSize: 100)
        try FileManager.default.moveItem(atPath: copy, toPath: repaired)
      } else {
        return
      }
      var options = StoreOptions()
      options.isUnflushed = true
      let next = try Store.openNow(repaired, for: schema, options)
      let after = try StoreMaintenance.verifyNow(next)
      try await next.close()
      XCTAssertEqual(
        after.problems.filter { !$0.hasPrefix("The log refers to the blob of ") || lost.isEmpty }, [],
        "\(one.name): \(report.steps) of \(report.problems)")
    } catch {
      XCTFail("\(one.name): \(report.steps) of \(report.problems): \(error)")
    }
  }

  private func change(_ path: String, _ one: Case) throws {
    try StoreRegistry.whileClosed(path) { (access) throws(StoreError) in
      let environment = try StoreOpener.environment(path, access, checksStructure: false)
      defer { environment.close() }
      let tables = StoreTables(environment)
      try StoreError.converting { () throws(StorageError) in
        try environment.write { (transaction) throws(StorageError) in
          let all = [
            tables.meta, tables.log, tables.objects, tables.indexes, tables.drafts, tables.archives, tables.journals,
            try tables.blobs.table(transaction.view), try tables.values.table(transaction.view),
            try tables.projections.table(transaction.view),
          ]
          guard let table = all.first(where: { $0.name == one.table.name }) else { return }
          try Self.put(one.rows, table, transaction)
        }
      }
    }
  }

  func testVerifyNamesAnIndexRowWithAValue() async throws {
    let store = try await makeSortedStore()
    let number = try XCTUnwrap(store.map.map(EntityName("Sorted"))?.indexes[Sorted.next])
    let prefix = withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    let key = try XCTUnwrap(try rows(store.tables.indexes, store).first { $0.key.starts(with: prefix + [0]) }?.key)
    try put([(key, [1])], store.tables.indexes, store)
    XCTAssertEqual(
      try StoreMaintenance.verifyNow(store).problems,
      ["The index over Sorted.next is damaged: index \(number): the row has a value, but must have none."])
    try await store.close()
  }

  /// Varints that no sound row has, in rows whose checksum fits: the greatest of 32, of 63 and of 64 bits, and 0.
  private static let forged: [[UInt8]] = [
    [0], [0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [UInt8](repeating: 0xFF, count: 8) + [0x7F],
    [UInt8](repeating: 0xFF, count: 9) + [1],
  ]

  func testVerifyEndsWhateverNumberARowHas() async throws {
    let store = try await makeStore(withFloor: true)
    var random = SeededGenerator(seed: testSeed())
    let tables = [
      store.tables.meta, store.tables.log, store.tables.objects, store.tables.drafts, store.tables.archives,
      try store.opened(store.tables.values), try store.opened(store.tables.blobs),
      try store.opened(store.tables.projections),
    ]
    let rows = try tables.flatMap { table in
      try self.rows(table, store).filter { row in
        row.value.count > Checksum.size && row.value.count < ChunkedRows.chunkSize
          && row.value.withUnsafeBytes { (try? ByteReader(sealed: $0)) != nil }
      }.map { (table: table, row: $0) }
    }
    for _ in 0..<1_500 {
      let (table, row) = try XCTUnwrap(rows.randomElement(using: &random))
      let body = Array(row.value.dropFirst(Checksum.size))
      // Most numbers come first.
      let place = Int.random(in: 0..<min(body.count, 200), using: &random)
      let number = try XCTUnwrap(Self.forged.randomElement(using: &random))
      try put([(row.key, Self.sealed(body[..<place] + number + body[(place + 1)...]))], table, store)
      _ = try? StoreMaintenance.verifyNow(store)
      try put([(row.key, row.value)], table, store)
    }
    XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, [])
    try await store.close()
  }

  func testRowsOfNoKnownFormAreNamed() async throws {
    let store = try await makeStore(withFloor: false)
    let (tables, stray) = (store.tables, [UInt8](repeating: 7, count: 3))
    let chunk = ObjectKey(entity: 9, uuid: .zero).bytes + [0, 3]
    for (table, key, text) in [
      (tables.objects, stray, "The table 'objects' has a row of no known form (key 070707)."),
      (tables.journals, stray, "The table 'journals' has a row of no known form (key 070707)."),
      (tables.indexes, stray, "The table 'indexes' has a row of no known form (key 070707)."),
      (try store.opened(tables.blobs), stray, "The table 'blobs' has a row of no known form (key 070707)."),
      (
        try store.opened(tables.projections), stray,
        "The table 'projections' has a row of no known form (key 070707)."
      ),
      (
        try store.opened(tables.values), stray,
        "The table 'values' has a row of 9 bytes and no known form (key 070707)."
      ),
      (tables.objects, chunk, "The table 'objects' has a chunk after a missing chunk (key \(hex(chunk)))."),
    ] as [(Table, [UInt8], String)] {
      try put([(key, [UInt8](repeating: 1, count: 9))], table, store)
      let problems = try StoreMaintenance.verifyNow(store).problems
      XCTAssertTrue(problems.contains(text), "\(problems)")
      try put([(key, nil)], table, store)
    }
    try await store.close()
  }

  /// Each is the end of a sentence about the object that gets the value.
  func testValuesThatTheSchemaForbidsAreNamed() throws {
    var schema = LogFixture.storedSchema
    schema.entities[1].properties.append(
      StoredProperty(
        number: 201, name: "[title]",
        role: .columns([StoredColumn(property: 5, collation: .binary)], uniqueness: .none)))
    let check = ValueCheck(schema, SchemaDeclarations())
    let zeros = [UInt8](repeating: 0, count: 16)
    for (entity, field, text) in [
      (9, [], "the entity with the number 9, which does not exist"),
      (2, [99, 0], "a value for the property with the number 99, which does not exist"),
      (2, [3, 0], "no value in Sample.isDone, which must have one"),
      (2, [3, 3, 2], "a value in Sample.isDone that is not of the kind Bool"),
      (2, [11, 10, 1] + zeros, "a reference in Sample.parent to an object of the wrong entity (number 1)"),
      (2, [11, 3, 2], "a value in Sample.parent that is not a reference"),
      (2, [0xC9, 1, 3, 2], "a value in Sample.[title], which is an index"),
    ] as [(UInt8, [UInt8], String)] {
      let problems = try ([1, entity] + zeros + field).withUnsafeBytes { try check.problems(Change($0), at: 6) }
      XCTAssertEqual(problems, [text])
    }
  }

  // MARK: The store

  private func makeStore(withFloor: Bool, withFacts: Bool = true) async throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    (options.keyframes.versions, options.keyframes.bytes) = (3, .max)
    // Every third time it is an hour behind.
    let readings = Guarded<Int64>(0)
    options.wallClock = {
      readings.withLock { readings in
        readings += 1
        return 1_790_000_000_000_000 + (readings - (readings % 3 == 0 ? 60 : 0)) * 60_000_000
      }
    }
    let store = try Store.openNow(path, for: Schema(LogSample.self, Photo.self), options)
    try await store.log.install(Edits(keepsHistory: false))
    try await store.log.install(Edits(keepsHistory: true))
    let entity = try XCTUnwrap(store.map.map(EntityName("Sample")))
    let photo = try XCTUnwrap(store.map.map(EntityName("Photo")))
    let long = String(repeating: "A long text. ", count: 500)
    var values: [UInt64: ContiguousArray<PropertyValue>] = [:]
    for round in 0..<4 {
      var changes: [(object: AnyObjectID, change: ObjectChange)] = []
      for number in UInt64(0)..<4 {
        let id = AnyObjectID(entity.entity.interned, LogFixture.object(number))
        var new = values[number] ?? entity.defaults
        new[LogSample.count] = .int(Int64(round))
        if number == 1 { new[LogSample.note] = .string(long + "\(round)") }
        if number == 2 { new[LogSample.blob] = .bytes([UInt8(round)] + [UInt8](repeating: 7, count: 10_000)) }
        if let old = values[number] {
          guard let change = ObjectChange.updated(from: old, to: new) else { continue }
          changes.append((id, change))
        } else {
          changes.append((id, .inserted(new)))
        }
        values[number] = new
      }
      let saved = await store.save(
        SaveRequest(base: store.log.head, author: "ada", name: "Edit \(round)", changes: changes))
      XCTAssertNoThrow(try saved.get())
    }
    let blob = try await Blob([UInt8](repeating: 7, count: 5_000), in: store)
    let picture = AnyObjectID(photo.entity.interned, LogFixture.object(100))
    let gone = AnyObjectID(entity.entity.interned, LogFixture.object(3))
    let last = await store.save(
      SaveRequest(
        base: store.log.head,
        changes: [
          (picture, .inserted([.string("photo"), .blob(blob), .blob(blob)])),
          (gone, .deleted(try XCTUnwrap(values[3]))),
        ]))
    XCTAssertNoThrow(try last.get())
    try await store.log.waitForProjections()
    if withFloor { try await store.log.retain(.last(3)) }
    try await leaveDraft(in: store, long)
    if withFacts { try leaveFacts(of: entity, in: store) }
    // A blob that nothing refers to, and an upload that did not end.
    _ = try await Blob([UInt8](repeating: 8, count: 100), in: store)
    try put([([3] + MetaTable.bytes(LogFixture.object(71)), [])], store.opened(store.tables.blobs), store)
    return store
  }

  /// Facts that are there now and then.
  private func leaveFacts(of entity: EntityMap, in store: Store) throws {
    let meta = MetaTable(store.tables.meta)
    try store.environment.write { (transaction) throws(StorageError) in
      let property = entity.numbers[LogSample.count]
      try meta.put(derivation: 1, of: property, transaction)
      try meta.putFormat(isShared: true, transaction)
      try meta.put(SharedPlace(epoch: 1, sequence: 3, packet: UniqueID(), copy: UniqueID()), transaction)
      try meta.put(IndexBuildState(index: 900_000, isClearing: true), of: property, transaction)
      var migration = MigrationState(version: 0)
      migration.running = [MigrationState.Running(conversion: 0, entity: entity.number, old: property, new: property)]
      var work = MigrationState.Work(kind: .move, mapping: 0, source: entity.number, target: entity.number)
      work.pairs = [MigrationState.Pair(old: property, new: property)]
      work.ends = [MigrationState.Pair(old: entity.number, new: 0)]
      migration.works = [work]
      try meta.put(migration, transaction)
      // Marks of a draft and of a scene that have ended.
      let done = MetaTable.bytes(LogFixture.object(70)) + MetaTable.bytes(UInt64(3))
      for kind in [[0x64], [0x74, 2]] as [[UInt8]] {
        let key = kind + [UInt8](repeating: 9, count: 16)
        try transaction.put(store.tables.journals, key: key.span.bytes, value: done.span.bytes)
      }
      try meta.put(MetaKey.collators + Array("locale:sv".utf8), MetaTable.bytes(UInt32(7)), transaction)
    }
  }

  private func leaveDraft(in store: Store, _ long: String) async throws {
    let id = AnyObjectID(EntityName("Sample"), LogFixture.object(1))
    func edit(_ old: Int64, _ new: Int64) -> DraftEdit {
      DraftEdit(
        object: id,
        change: .updated([PropertyChange(slot: LogSample.count, old: .int(old), new: .int(new))]))
    }
    let typed = PropertyChange(slot: LogSample.note, old: .string(long + "3"), new: .string("short"))
    let added = PropertyChange(slot: LogSample.note, old: .string(long + "3"), new: .string(long + "3!"))
    store.journal.append(
      [
        .draftBegan(DraftHeader(id: "editor", author: "ada", base: store.log.head), generation: 1),
        .draftEdited(draft: "editor", generation: 1, startsGroup: true, groupName: "One", edit(3, 4)),
        .draftEdited(draft: "editor", generation: 1, startsGroup: true, groupName: nil, edit(4, 5)),
        .draftUndone(draft: "editor"),
        .draftBegan(DraftHeader(id: "reversal", base: store.log.head), generation: 1),
        .draftEdited(
          draft: "reversal", generation: 1, startsGroup: true, groupName: "Back",
          reversal: Reversal(undoes: 2, origin: .undo), edit(3, 2)),
        .draftBegan(DraftHeader(id: "text", base: store.log.head), generation: 1),
        .draftEdited(
          draft: "text", generation: 1, startsGroup: true, groupName: nil,
          DraftEdit(object: id, change: .updated([typed]))),
        .draftBegan(DraftHeader(id: "splice", base: store.log.head), generation: 1),
        .draftEdited(
          draft: "splice", generation: 1, startsGroup: true, groupName: nil,
          DraftEdit(object: id, change: .updated([added]))),
      ] + Self.screens)
    try store.journal.flush()
    try await store.journals.checkpoint()
  }

  /// A scene with the record of itself and two screens, the second of which has several chunks, and an object that
  /// scenes share.
  private static var screens: [JournalEntry] {
    func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
    // Deferred, two screens, order 2, no selection, a mark, a missed node, and a draft that a closed node left.
    let info = [1, 0, 0, 0, 0, 1, 2, 2, 0, 1, 1, 2, 1, 1, 1, 2, 1] + text("gone") + text("gone") + [0, 0, 0]
    let list = [1, 0] + text("list") + [1, 0, 1, 1] + text("row") + [12, 3, 1, 0, 0x82]
    let item = [1, 0] + text("item") + [2, 0, 1, 0, 10, 0xA0, 0x1F] + [UInt8](repeating: 1, count: 4_000)
    let note = [1, 1] + text("main") + state([1, 0, 0, 5, 0, 1, 0, 0], "/note")
    return [
      .nodePut(scene: "main", key: "/", bytes: state(info, "/")),
      .nodePut(scene: "main", key: "list", bytes: state(list, "list")),
      .nodePut(scene: "main", key: "list/item", bytes: state(item, "list/item")),
      .nodePut(scene: "//objects", key: "/note", bytes: state(note, "/note")),
    ]
  }

  /// A state with its checksum, which also covers the key of its node.
  private static func state(_ body: [UInt8], _ key: String) -> [UInt8] {
    MetaTable.bytes((Array(key.utf8) + body).withUnsafeBytes { Checksum.crc32c($0) }) + body
  }

  /// A store with an index of each role, over a value of each kind.
  private func makeSortedStore() async throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    let store = try Store.openNow(path, for: Schema(Sorted.self), options)
    let picture = try await Blob([UInt8](repeating: 7, count: 50), in: store)
    func id(_ number: Int) -> AnyObjectID { AnyObjectID(Sorted.entity.interned, LogFixture.object(UInt64(number))) }
    var all: [ContiguousArray<PropertyValue>] = []
    for number in 0..<120 {
      var values = Sorted.entity.defaults
      values[Sorted.text] = .string("word\(number % 7) other")
      values[Sorted.bytes] = number % 5 == 0 ? .null : .bytes([UInt8(number), 0])
      values[Sorted.flag] = .bool(number % 2 == 0)
      values[Sorted.natural] = .unsigned(UInt64(number))
      values[Sorted.ratio] = .double(Double(number))
      values[Sorted.moment] = .date(Double(number))
      values[Sorted.token] = .uuid(LogFixture.object(UInt64(1_000 + number)))
      values[Sorted.picture] = number == 0 ? .blob(picture) : .null
      values[Sorted.next] = number == 0 ? .null : .reference(id(number - 1))
      all.append(values)
    }
    let first = all.indices.map { (object: id($0), change: ObjectChange.inserted(all[$0])) }
    _ = try await store.save(SaveRequest(base: store.log.head, changes: first)).get()
    // The histories of the indexes get replaced nodes, and nodes with other numbers of rows.
    for round in 1..<6 {
      var changes: [(object: AnyObjectID, change: ObjectChange)] = []
      for number in stride(from: round % 3, to: all.count, by: 3) {
        var new = all[number]
        new[Sorted.flag] = .bool((number + round) % 2 == 0)
        new[Sorted.ratio] = .double(Double(number) + Double(round) / 100)
        guard let change = ObjectChange.updated(from: all[number], to: new) else { continue }
        changes.append((id(number), change))
        all[number] = new
      }
      _ = try await store.save(SaveRequest(base: store.log.head, changes: changes)).get()
    }
    return store
  }

  // MARK: The cases

  private func cases(_ store: Store, _ random: inout SeededGenerator) throws -> [Case] {
    let tables = store.tables
    var cases: [Case] = []
    let chunked = [(tables.log, true), (tables.objects, false), (tables.drafts, true), (tables.archives, true)]
    for (table, isNumbered) in chunked {
      let rows = try self.rows(table, store)
      let isFirst = { (row: Row) in isNumbered ? row.key.suffix(2) == [0, 0] : row.key.count == ObjectKey.size }
      for place in rows.indices.filter({ isFirst(rows[$0]) }).shuffled(using: &random).prefix(6) {
        if place + 1 < rows.count, !isFirst(rows[place + 1]) { continue }
        cases.append(contentsOf: keys(of: rows[place], table, isNumbered: isNumbered, &random))
      }
    }
    for row in try rows(tables.objects, store) where row.key.count == ObjectKey.size {
      cases.append(contentsOf: kinds(of: row, tables.objects))
    }
    let floor = try store.environment.read { (transaction) throws(StorageError) in
      try MetaTable(tables.meta).firstPosition(transaction.view)
    }
    // What is before the floor means nothing.
    cases.removeAll { one in
      one.table == tables.log && floor > 1
        && one.rows.contains { LogKey.precedes($0.key, floor) }
    }
    let values = try store.opened(tables.values)
    for table in [values, try store.opened(tables.blobs), tables.journals, tables.indexes] {
      for row in try rows(table, store).shuffled(using: &random).prefix(3) {
        cases.append(contentsOf: keys(of: row, table, isNumbered: false, &random))
        cases.append(contentsOf: self.values(of: row, table, &random))
      }
    }
    let projections = try store.opened(tables.projections)
    for row in try rows(projections, store) {
      cases.append(
        contentsOf: keys(of: row, projections, isNumbered: false, &random).shuffled(using: &random).prefix(2))
      cases.append(contentsOf: self.values(of: row, projections, &random))
    }
    for row in try rows(tables.meta, store) {
      cases.append(
        contentsOf: keys(of: row, tables.meta, isNumbered: false, &random).shuffled(using: &random).prefix(2))
      cases.append(contentsOf: self.values(of: row, tables.meta, &random))
    }
    // LMDB itself refuses these: the key of a long text in an index has all 511 bytes already.
    cases.removeAll { one in one.rows.contains { $0.key.count > store.environment.maximumKeySize } }
    return cases
  }

  // The grammar lines do not express these cases: checksums, missing rows, chunks, and rows under other sound keys.

  /// Another value of the row, and none.
  private func values(of row: Row, _ table: Table, _ random: inout SeededGenerator) -> [Case] {
    var flipped = row.value
    if !flipped.isEmpty {
      flipped[Int.random(in: flipped.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    }
    return [
      Case(name: "\(table.name): a flipped bit of \(hex(row.key))", table: table, rows: [(row.key, flipped)]),
      Case(name: "\(table.name): the row \(hex(row.key)) removed", table: table, rows: [(row.key, nil)]),
    ]
  }

  private static func sealed(_ body: some Collection<UInt8>) -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: body.count)
    writer.append(Array(body))
    return writer.sealed()
  }

  /// An object's row under the key of its tombstone, or a tombstone under that of its object; alone, and beside it.
  private func kinds(of row: Row, _ table: Table) -> [Case] {
    var other = row.key
    other[0] ^= 0x80
    return [
      Case(name: "objects: a row of the other kind \(hex(other))", table: table, rows: [(other, row.value)]),
      Case(
        name: "objects: a row under the key of the other kind \(hex(other))", table: table,
        rows: [(row.key, nil), (other, row.value)]),
    ]
  }

  /// The row under other keys, and rows beside it.
  private func keys(
    of row: Row, _ table: Table, isNumbered: Bool, _ random: inout SeededGenerator
  ) -> [Case] {
    func more(_ name: String, _ key: [UInt8], _ value: [UInt8]) -> Case {
      Case(name: "\(table.name): \(name) \(hex(key))", table: table, rows: [(key, value)])
    }
    var flipped = row.key
    let bit = Int.random(in: 0..<row.key.count * 8, using: &random)
    flipped[bit / 8] ^= 1 << UInt8(bit % 8)
    let bare = isNumbered ? Array(row.key.dropLast(2)) : row.key
    return [
      more("a chunk behind the end", bare + [0, 1], [1]), more("a chunk out of turn", bare + [0, 3], [1]),
      more("a key of zeros", [UInt8](repeating: 0, count: row.key.count), row.value),
      more("the row twice", flipped, row.value),
      Case(
        name: "\(table.name): the row under \(hex(flipped))", table: table,
        rows: [(row.key, nil), (flipped, row.value)]),
    ]
  }

  // MARK: Rows

  private func table(_ name: String, _ store: Store) throws -> Table {
    let tables = store.tables
    switch name {
    case "blobs": return try store.opened(tables.blobs)
    case "values": return try store.opened(tables.values)
    case "projections": return try store.opened(tables.projections)
    default:
      let all = [
        tables.meta, tables.log, tables.objects, tables.indexes, tables.drafts, tables.archives, tables.journals,
      ]
      return try XCTUnwrap(all.first { $0.name == name }, name)
    }
  }

  private func rows(_ table: Table, _ store: Store) throws -> [Row] {
    try store.environment.read { (transaction) throws(StorageError) in
      var rows: [Row] = []
      var cursor = try transaction.view.cursor(table)
      while let entry = try cursor.next() {
        rows.append(
          Row(key: entry.key.withUnsafeBytes { [UInt8]($0) }, value: entry.value.withUnsafeBytes { [UInt8]($0) }))
      }
      return rows
    }
  }

  private func value(_ key: [UInt8], _ table: Table, _ store: Store) throws -> [UInt8]? {
    let transaction = try store.environment.beginRead()
    return try transaction.view.get(table, key: key.span.bytes)?.withUnsafeBytes { [UInt8]($0) }
  }

  private func put(_ rows: [(key: [UInt8], value: [UInt8]?)], _ table: Table, _ store: Store) throws {
    try store.environment.write { transaction throws(StorageError) in try Self.put(rows, table, transaction) }
  }

  private static func put(
    _ rows: [(key: [UInt8], value: [UInt8]?)], _ table: Table, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for (key, value) in rows {
      if let value {
        try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
      } else {
        try transaction.delete(table, key: key.span.bytes)
      }
    }
  }
}

/// A row of each transaction, one of which is long.
private struct Edits: LogProjection {
  let keepsHistory: Bool
  var name: String { keepsHistory ? "edits that were" : "edits" }
  let version = 1

  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
    let name = PropertyValue.string((transaction.name ?? "none") + "\0")
    rows[[name, .double(-0.5), .bool(true)]] = [.int(Int64(transaction.position.number))]
    rows[[.null, .uuid(LogFixture.object(1))]] = [
      .string(String(repeating: "long ", count: 500)), .date(7), .unsigned(transaction.position.number),
    ]
    if transaction.position == 4 { rows[[name, .double(-0.5), .bool(true)]] = nil }
  }
}

extension LogKey {
  fileprivate static func precedes(_ key: [UInt8], _ position: Position) -> Bool {
    key.lexicographicallyPrecedes(withUnsafeBytes(of: position.number.bigEndian) { [UInt8]($0) })
  }
}

/// A date, as the store has it.
