import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

@testable import RepriseEventStore
@testable import RepriseLMDB
@testable import RepriseObjectGraph

/// Searches by their indexes: which way they go, what is written, and what becomes of the index.
final class SearchTests: XCTestCase {
  /// A store of notes: of 3000, all have "all", every 10th has "ten", every 100th "hundred", one "single".
  @MainActor
  private func filled(
    _ count: Int = 3000, atOnce: Int = 2_000
  ) async throws -> (test: TestStore, context: RootContext, notes: [Note]) {
    let test = try TestStore(Schema(Note.self, Notebook.self), atOnce: atOnce)
    let context = RootContext(test.store)
    let notes = (0..<count).map { number in
      var words = ["all", "w\(number)", "w\(number)x"]
      if number % 10 == 0 { words.append("Ten") }
      if number % 100 == 0 { words.append("hundred,") }
      if number == count / 2 { words.append("single") }
      return context.insert(Note(title: words.joined(separator: " "), body: nil, rank: (number * 7919) % count))
    }
    try await context.save()
    return (test, context, notes)
  }

  private func find(_ words: String, _ match: WordMatch = .allWords) -> Fetch<Note> {
    Fetch<Note> { $0.title.contains(words: words, match) }
  }

  @MainActor
  func testASearchVisitsWhatItFinds() async throws {
    let (_, context, notes) = try await filled()
    func expect(
      _ fetch: Fetch<Note>, _ access: FetchExplanation.Access, atMost visits: Int, line: UInt = #line
    ) throws {
      let plan = try context.explain(fetch)
      XCTAssertEqual(plan.access, access, line: line)
      XCTAssertLessThanOrEqual(plan.visits, visits, "\(plan)", line: line)
    }
    let search = FetchExplanation.Access.search(property: "title")
    try expect(find("single"), search, atMost: 1)
    try expect(find("ten hundred"), search, atMost: 30)
    try expect(find("all single"), search, atMost: 1)
    try expect(find("none all"), search, atMost: 0)
    try expect(find("ten all").limit(5), search, atMost: 5)
    try expect(find("hundred si", .whileTyping), search, atMost: 1)
    try expect(find("w17 w17x", .allPrefixes), search, atMost: 111)
    // Every other text has a word that begins so: whoever comes first is as good as any.
    try expect(find("a", .whileTyping).limit(5), .scan, atMost: 5)
    try expect(find("w t", .allPrefixes).sorted { $0.rank }.limit(5), .index(property: "rank"), atMost: 100)
    try expect(find("all").sorted { $0.rank }.limit(5), .index(property: "rank"), atMost: 5)
    try expect(find("hundred").sorted { $0.rank }.limit(5), search, atMost: 30)
    try expect(find("hundred").filter { $0.rank < 4 }, .collected(properties: ["rank"]), atMost: 4)
    try expect(
      find("single").filter { $0.author.contains(words: "x") }, search, atMost: 1)
    try expect(
      Fetch<Note> { $0.title.contains(words: "hundred ten", .anyWord) }, .collected(properties: ["title", "title"]),
      atMost: 300)
    XCTAssertEqual(
      try context.fetch(find("ten hundred").limit(2, offset: 3)).map(\.id), [notes[300].id, notes[400].id])
    let explanation = "\(try context.explain(find("single")))"
    XCTAssertTrue(explanation.contains("the search index over 'title', already sorted"), explanation)
  }

  @MainActor
  func testIDsAndCountsOfASearchReadNoText() async throws {
    let (test, context, notes) = try await filled()
    let map = try XCTUnwrap(test.store.map.map(Note.entity.interned))
    try test.store.damageRecords(notes.map(\.id.any), map)
    XCTAssertEqual(try context.count(find("ten")), 300)
    XCTAssertEqual(try context.count(find("ten hundred")), 30)
    XCTAssertEqual(try context.fetchIDs(find("hundred ten").limit(2)), [notes[0].id, notes[100].id])
    XCTAssertTrue(try context.exists(find("sing", .whileTyping)))
    XCTAssertTrue(try context.exists(find("hundred all")))
    XCTAssertEqual(try context.count(find("w29", .whileTyping)), 111)
    XCTAssertThrowsError(try context.fetch(find("single")))
  }

  /// A text of 10,000 words of which one changes.
  @MainActor
  func testASaveWritesTheWordsThatCameAndWent() async throws {
    let (test, context, notes) = try await filled(10)
    let slot = try XCTUnwrap(Note.entity.searchIndex(over: 1))
    let index = try XCTUnwrap(test.store.map.map(Note.entity.interned)?.indexes[slot])
    func words() throws -> [[UInt8]] {
      try test.store.rowKeys(ofIndex: index).map { Array($0.dropFirst().dropLast(18)) }
    }
    notes[0].body = "one two, two three"
    try await context.save()
    XCTAssertEqual(try words().map { String(decoding: $0, as: UTF8.self) }, ["one", "three", "two"])
    notes[0].body = "two four one"
    try await context.save()
    XCTAssertEqual(try words().map { String(decoding: $0, as: UTF8.self) }, ["four", "one", "two"])
    // The same words.
    notes[0].body = "One -- two, FOUR"
    try await context.save()
    XCTAssertEqual(try words().count, 3)
    notes[0].body = nil
    try await context.save()
    XCTAssertEqual(try words(), [])
    notes[0].body = "again"
    try await context.save()
    context.delete(notes[0])
    try await context.save()
    XCTAssertEqual(try words(), [])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
  }

  @MainActor
  func testWordsAreFoundAsTheyAreTypedTakenBackAndSavedByOthers() async throws {
    let (test, context, notes) = try await filled(50)
    context.followsHead = false
    func found(_ words: String, in context: ObjectContext) throws -> [Note.ID] {
      let fetch = find(words, .whileTyping)
      let ids = try context.fetchIDs(fetch)
      XCTAssertEqual(try context.count(fetch), ids.count)
      XCTAssertEqual(try context.fetch(fetch).map(\.id), ids)
      return ids
    }
    notes[3].title = "fresh news"
    XCTAssertEqual(try found("fres", in: context), [notes[3].id])
    XCTAssertEqual(try found("w3x", in: context), [])
    let child = context.makeChild()
    try child.object(notes[4].id).title = "refreshing, and fresh"
    child.delete(try child.object(notes[3].id))
    XCTAssertEqual(try found("fresh", in: child), [notes[4].id])
    XCTAssertEqual(try found("fresh", in: context), [notes[3].id])
    child.undo()
    XCTAssertEqual(try found("fresh", in: child), [notes[3].id, notes[4].id])
    // Whatever others save, a context behind the head sees its own.
    let other = RootContext(test.store)
    try other.object(notes[5].id).title = "fresher"
    other.delete(try other.object(notes[6].id))
    try await other.save()
    XCTAssertEqual(try found("fresh", in: context), [notes[3].id])
    XCTAssertEqual(try found("w6x", in: context), [notes[6].id])
    XCTAssertEqual(try found("fresh", in: other), [notes[5].id])
    XCTAssertEqual(try found("w6x", in: other), [])
    context.undo()
    XCTAssertEqual(try found("fresh", in: context), [])
    try context.refresh()
    XCTAssertEqual(try found("fresh", in: context), [notes[5].id])
  }

  /// Each search of a model with many pending changes tests those that have the words, not all.
  @MainActor
  func testASearchDoesNotLookAtEveryPendingChange() async throws {
    let (_, context, notes) = try await filled(300)
    for (number, note) in notes.enumerated() { note.title = "pending p\(number)" }
    XCTAssertEqual(try context.fetchIDs(find("p17")), [notes[17].id])
    XCTAssertEqual(try context.explain(find("p17 pending")).visits, 1)
    XCTAssertEqual(try context.explain(find("pending p29", .whileTyping)).visits, 11)
    XCTAssertEqual(try context.explain(find("ten")).visits, 0)
    notes[18].title = "pending p17"
    XCTAssertEqual(try context.fetchIDs(find("p17")), [notes[17].id, notes[18].id])
  }

  @MainActor
  func testAnIndexWithWordsOfAnotherVersionIsBuiltAnew() async throws {
    for atOnce in [2_000, 0] { try await checkThatWordsOfAnotherVersionAreBuiltAnew(atOnce: atOnce) }
  }

  @MainActor
  private func checkThatWordsOfAnotherVersionAreBuiltAnew(atOnce: Int) async throws {
    let (test, _, notes) = try await filled(200, atOnce: atOnce)
    let slot = try XCTUnwrap(Note.entity.searchIndex(over: 0))
    let before = try XCTUnwrap(test.store.map.map(Note.entity.interned)?.indexes[slot])
    try test.store.pretendWords(of: "Note", "words of title", version: 0)
    try await test.store.close()
    try test.open()
    XCTAssertEqual(try RootContext(test.store).fetchIDs(find("w17")), [notes[17].id])
    try await test.store.waitForIndexes()
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
    XCTAssertNotEqual(test.store.map.map(Note.entity.interned)?.indexes[slot], before)
    XCTAssertEqual(try test.store.rowKeys(ofIndex: before), [])
    XCTAssertEqual(try RootContext(test.store).fetchIDs(find("w17")), [notes[17].id])
  }

  /// Words of this version among those of a newer one would be rows that a newer program never takes out.
  @MainActor
  func testAProgramDoesNotWriteWordsAmongThoseOfANewerVersion() async throws {
    let (test, context, notes) = try await filled(20)
    try test.store.pretendWords(of: "Note", "words of title", version: SearchWords.version + 1)
    notes[0].title = "changed"
    do {
      try await context.save()
      XCTFail("saved")
    } catch {
      guard
        case SaveError.store(.newerFormat(test.path, found: SearchWords.version + 1, supported: SearchWords.version)) =
          error
      else { return XCTFail("\(error)") }
    }
    try await test.store.close()
    XCTAssertThrowsError(try test.open()) { error in
      guard case StoreError.incompatible(_, let property, _, _) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(property, "words of title")
    }
  }

  /// The words of large stores do not fit into memory at once.
  @MainActor
  func testAnIndexIsBuiltAndVerifiedInSlices() async throws {
    let (test, context, notes) = try await filled(500)
    let store = test.store
    let stored = try XCTUnwrap(store.map.stored.entity(named: "Note"))
    let title = try XCTUnwrap(stored.property(named: "words of title"))
    let number = try XCTUnwrap(title.index)
    let before = try store.rowKeys(ofIndex: number)
    try store.environment.write { (transaction) throws(StorageError) in
      let builder = IndexBuilder(tables: store.tables, sliceBytes: 3000)
      try builder.remove([number], transaction)
      try builder.build([(stored, title)], transaction)
    }
    XCTAssertEqual(try store.rowKeys(ofIndex: number), before)
    XCTAssertEqual(try context.fetchIDs(find("w17")), [notes[17].id])
    func problems() throws -> [String] {
      try store.environment.read { (transaction) throws(StorageError) in
        var verifier = Verifier(store: store, kept: nil)
        verifier.sliceBytes = 3000
        try verifier.verifyLog(transaction.view)
        try verifier.verifyIndexes(transaction.view)
        return verifier.report.problems
      }
    }
    XCTAssertEqual(try problems(), [])
    try store.removeLastIndexRow(of: "Note", "words of title")
    XCTAssertEqual(try problems().count, 3)
    XCTAssertTrue(try problems().contains { $0.contains("lacks a row for \(notes[9].id.uuid)") })
  }

  @MainActor
  func testDamageInASearchIndexIsToldAndRebuilt() async throws {
    let (test, context, notes) = try await filled(200)
    let slot = try XCTUnwrap(Note.entity.searchIndex(over: 0))
    let number = try XCTUnwrap(test.store.map.map(Note.entity.interned)?.indexes[slot])
    let index = CountedIndex(number: number, table: test.store.tables.indexes)
    func row(_ word: String, _ id: Note.ID) -> [UInt8] {
      var key = OrderKey.bytes(of: .string(word))
      RowKey.append(id.uuid, to: &key)
      return key
    }
    // A word that the text does not have, counted as it should be.
    try test.store.environment.write { (transaction) throws(StorageError) in
      var changes = IndexChanges(index: number)
      changes.add(row("w18", notes[17].id), isInsert: true)
      try index.apply(changes, in: transaction)
    }
    let problems = try await StoreMaintenance.verify(test.store).problems
    XCTAssertFalse(problems.isEmpty)
    XCTAssertTrue(problems.allSatisfy { $0.contains("words of title") }, "\(problems)")
    // A row that is too long.
    try test.store.changeIndexes { (transaction, table) throws(StorageError) in
      let key = index.key(0, row("w19", notes[19].id) + [7])
      try transaction.put(table, key: key.span.bytes, value: RawSpan())
    }
    XCTAssertThrowsError(try context.fetch(find("w19"))) { XCTAssertTrue($0 is FetchError, "\($0)") }
    XCTAssertThrowsError(try context.count(find("w19 all")))
    try await test.store.close()
    _ = try await StoreMaintenance.rebuild(test.path)
    try test.open()
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
    XCTAssertEqual(try RootContext(test.store).fetchIDs(find("w18 all")), [notes[18].id])
  }
}

extension Store {
  fileprivate func rowKeys(ofIndex number: UInt32) throws -> [[UInt8]] {
    let index = CountedIndex(number: number, table: tables.indexes)
    return try environment.read { (transaction) throws(StorageError) in
      var keys: [[UInt8]] = []
      try index.forEach(from: 0, in: transaction.view) { key in
        keys.append(key.withUnsafeBytes { [UInt8]($0) })
        return true
      }
      return keys
    }
  }

  /// Makes the stored schema say that the index was made by other rules.
  fileprivate func pretendWords(of entity: String, _ property: String, version: UInt32) throws {
    try environment.write { (transaction) throws(StorageError) in
      let meta = MetaTable(tables.meta)
      var schema = try meta.schema(transaction.view)
      guard let e = schema.entities.firstIndex(where: { $0.name == entity }),
        let p = schema.entities[e].properties.firstIndex(where: { $0.name == property }),
        case .words(let attribute, _) = schema.entities[e].properties[p].role
      else { return XCTFail("no such index") }
      schema.entities[e].properties[p].role = .words(attribute: attribute, version: version)
      schema.revision += 1
      var appender = try TransactionAppender(
        tables, logID: logID, map: SchemaMap(map.schema, StoredSchema()), transaction.view)
      try appender.append(schema, transaction)
      try appender.finish(transaction)
    }
  }
}
