import Foundation
import RepriseCore
import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestSeeds
import XCTest

/// A part as the first version has it.
final class BarePart: Version {
  static let entity = Entity(BarePart.self, name: "Part", properties: partAttributes(indexed: false))
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The same with indexes of every kind.
final class Part: Version {
  static let entity = Entity(
    Part.self, name: "Part",
    properties: partAttributes(indexed: true) + [.index(["label", "number"]), .searchIndex("note")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The same with a rule.
final class UniquePart: Version {
  static let entity = Entity(
    UniquePart.self, name: "Part", properties: partAttributes(indexed: false) + [.unique(["number", "label"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The same with a rule over what may be nil.
final class NotedPart: Version {
  static let entity = Entity(
    NotedPart.self, name: "Part", properties: partAttributes(indexed: false) + [.unique(["number", "note"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// The same, and nil equals nil.
final class StrictPart: Version {
  static let entity = Entity(
    StrictPart.self, name: "Part",
    properties: partAttributes(indexed: false) + [.unique(["number", "note"], nilsAreEqual: true)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private func partAttributes(indexed: Bool) -> [Property] {
  [
    .attribute("label", String.self), .attribute("number", Int.self, indexed: indexed),
    .attribute("note", String?.self),
  ]
}

private func field<Model: Version, Value: AttributeValue>(
  _ name: String, _: Value.Type = String.self
) -> Field<Model, Value> {
  // invariant: the models have it.
  try! Field<Model, Value>(named: name)
}

private func inOrder(_ range: Range<Int>) -> Fetch<Part> {
  Fetch<Part> { _ in
    let number: Field<Part, Int> = field("number", Int.self)
    return number >= range.lowerBound && number < range.upperBound
  }.sorted { _ in field("number", Int.self) as Field<Part, Int> }
}

/// Lets the thread that builds take so many steps, and no more.
private final class Gate: Sendable {
  private let permits = DispatchSemaphore(value: 0)
  private let isOpen = Guarded(false)

  private let arrivals = Guarded(0)

  func pass() {
    arrivals.withLock { $0 += 1 }
    if !isOpen.withLock({ $0 }) { permits.wait() }
  }
  /// Returns when so many steps were taken or wait.
  func arrive(_ count: Int) async { while arrivals.withLock({ $0 }) < count { await Task.yield() } }
  func allow(_ steps: Int) { for _ in 0..<steps { permits.signal() } }
  func open() {
    isOpen.withLock { $0 = true }
    for _ in 0..<100 { permits.signal() }
  }
}

final class IndexBuildTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func options(_ gate: Gate? = nil, rows: Int = 40) -> StoreOptions {
    var options = StoreOptions()
    options.isUnflushed = true
    options.indexing.atOnce = 10
    options.indexing.objectsRead = 30
    options.indexing.batchBytes = 4_000
    options.indexing.rows = rows
    options.indexing.mostRows = rows
    if let gate { options.indexing.onStep = { gate.pass() } }
    return options
  }

  private func bare() throws -> Store { try Store.openNow(path, for: Schema(BarePart.self), options()) }
  private func opened(_ gate: Gate? = nil) throws -> Store {
    try Store.openNow(path, for: Schema(Part.self), options(gate))
  }

  private func fill(_ count: Int, _ values: (Int) -> [String: any AttributeValue]) async throws {
    let store = try bare()
    let context = RootContext(store)
    for number in 0..<count { context.insert(BarePart(values(number))) }
    try await context.save()
    try await store.close()
  }

  private func numbers(_ context: ObjectContext, _ range: Range<Int>) throws -> [PropertyValue] {
    let fetch = inOrder(range)
    return try context.fetch(fetch).map { $0["number"] }
  }

  func testOpeningReturnsBeforeAnIndexIsBuiltAndFetchesDoWithout() async throws {
    try await fill(500) { ["number": ($0 * 37) % 500, "label": "l\($0 % 7)", "note": "red chair \($0)"] }
    let gate = Gate()
    let store = try opened(gate)
    let context = RootContext(store)
    XCTAssertEqual(store.unfinishedIndexes.map(\.entity), ["Part", "Part", "Part"])
    let fetch = inOrder(10..<20)
    let before = try context.explain(fetch)
    XCTAssertEqual(before.access, .scan)
    XCTAssertEqual(before.unfinishedIndexes, ["number"])
    XCTAssertEqual(try numbers(context, 10..<20), (10..<20).map { .int(Int64($0)) })
    gate.open()
    try await store.waitForIndexes()
    XCTAssertEqual(store.unfinishedIndexes, [])
    let after = try context.explain(fetch)
    XCTAssertEqual(after.access, .index(property: "number"))
    XCTAssertEqual(after.unfinishedIndexes, [])
    XCTAssertEqual(try numbers(context, 10..<20), (10..<20).map { .int(Int64($0)) })
    try await assertSound(store)
    try await store.close()
  }

  /// What is saved while it is built is taken over from the log.
  func testAHalfBuiltIndexHoldsTheLogFromItsMarkOn() async throws {
    try await fill(300) { ["number": $0, "label": "l", "note": "a b c \($0)"] }
    let gate = Gate()
    let store = try opened(gate)
    gate.allow(4)
    await gate.arrive(5)
    let mark = store.log.head
    let context = RootContext(store)
    for number in 0..<20 {
      context.insert(Part(["number": 5_000 + number]))
      try await context.save()
    }
    let report = try await store.log.retain(.last(1))
    XCTAssertLessThanOrEqual(report.firstPosition, mark + 1)
    guard case .index? = report.blockedBy.first else { return XCTFail("\(report.blockedBy)") }
    gate.open()
    try await store.waitForIndexes()
    try context.refresh()
    let free = try await store.log.retain(.last(1))
    XCTAssertEqual(free.firstPosition, store.log.head)
    XCTAssertEqual(free.blockedBy, [])
    XCTAssertEqual(try numbers(context, 5_000..<5_020), (5_000..<5_020).map { .int(Int64($0)) })
    try await assertSound(store)
    try await store.close()
  }

  func testAHalfBuiltIndexIsVerifiedAndFollowsWhatProgramsWithoutItSave() async throws {
    try await fill(300) { ["number": $0, "label": "l", "note": "a b c \($0)"] }
    let gate = Gate()
    let store = try opened(gate)
    gate.allow(12)
    try await Task.sleep(nanoseconds: 50_000_000)
    try await assertSound(store)
    gate.open()
    await store.abandon()
    // The first version changes what is built, and what is not, and is told nothing.
    let old = try bare()
    let context = RootContext(old)
    for (place, part) in try context.fetch(Fetch<BarePart>()).enumerated() {
      if place % 5 == 0 { context.delete(part) }
      if place % 5 == 1 { part["number"] = .int(Int64(1_000 + place)) }
      if place % 5 == 2 { part["note"] = .string("d e \(place) b") }
    }
    for number in 0..<50 { context.insert(BarePart(["number": 5_000 + number])) }
    try await context.save()
    let report = try await StoreMaintenance.verify(old)
    XCTAssertEqual(report.problems, [])
    try await old.close()
    let again = try opened()
    try await again.waitForIndexes()
    try await assertSound(again)
    let found = try RootContext(again).fetch(inOrder(1_000..<2_000))
    XCTAssertEqual(found.count, 60)
    try await again.close()
  }

  func testARebuildingOrSalvageWhileAnIndexIsBuiltBeginsItAnew() async throws {
    try await fill(300) { ["number": $0, "label": "l", "note": "a b c \($0)"] }
    let gate = Gate()
    let store = try opened(gate)
    gate.allow(14)
    try await Task.sleep(nanoseconds: 50_000_000)
    gate.open()
    await store.abandon()
    let copy = path + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    _ = try await StoreMaintenance.salvage(path, to: copy)
    let salvaged = try Store.openNow(copy, for: Schema(Part.self), options())
    try await salvaged.waitForIndexes()
    try await assertSound(salvaged)
    try await salvaged.close()
    try await StoreMaintenance.rebuild(path)
    let again = try opened()
    try await again.waitForIndexes()
    try await assertSound(again)
    XCTAssertEqual(try numbers(RootContext(again), 0..<300).count, 300)
    try await again.close()
  }

  func testARuleIsBuiltBeforeTheStoreIsOpenAndDuplicatesAreToldAsEver() async throws {
    try await fill(400) { ["number": $0 % 399, "label": $0 == 0 ? "same" : $0 == 399 ? "same" : "l\($0)"] }
    do {
      _ = try Store.openNow(path, for: Schema(UniquePart.self), options())
      XCTFail("a rule that is broken")
    } catch StoreError.violations(let violations) {
      XCTAssertEqual(violations.count, 1)
    }
    let mended = try bare()
    let context = RootContext(mended)
    context.delete(try XCTUnwrap(context.fetch(Fetch<BarePart> { _ in field("label") == "same" }).last))
    try await context.save()
    try await mended.close()
    let store = try Store.openNow(path, for: Schema(UniquePart.self), options())
    XCTAssertEqual(store.unfinishedIndexes, [])
    let unique = RootContext(store)
    unique.insert(UniquePart(["number": 5, "label": "l5"]))
    do {
      try await unique.save()
      XCTFail("a rule that does not hold")
    } catch SaveError.refused {}
    unique.discard()
    try await assertSound(store)
    try await store.close()
  }

  func testAListGoesOnWithoutAWrongRowAndTakesUpTheIndex() async throws {
    try await fill(300) { ["number": ($0 * 7) % 300, "label": "l"] }
    let gate = Gate()
    let store = try opened(gate)
    let context = RootContext(store)
    let list = try FetchedList(Fetch<Part>().sorted { _ in field("number", Int.self) }, in: context)
    var batches = 0
    let observation = list.observe { _ in batches += 1 }
    defer { observation.cancel() }
    guard case .inMemory = list.explain().rows else { return XCTFail("along an index that is not there") }
    for round in 0..<40 {
      if round == 20 {
        gate.open()
        try await store.waitForIndexes()
      } else {
        gate.allow(1)
      }
      let parts = try context.fetch(Fetch<Part>())
      parts[(round * 13) % parts.count]["number"] = .int(Int64((round * 31) % 400))
      if round % 3 == 0 { context.delete(parts[(round * 7) % parts.count]) }
      if round % 4 == 0 { context.insert(Part(["number": round, "label": "new"])) }
      try await context.save()
      list.flush()
      let shown = try (0..<list.count).map { try XCTUnwrap(list.element(at: RowPath(item: $0)))["number"] }
      let all = try context.fetch(Fetch<Part>()).map { $0["number"] }.sorted { $0.order(against: $1) == .before }
      XCTAssertEqual(shown, all, "round \(round)")
    }
    XCTAssertGreaterThan(batches, 0)
    XCTAssertEqual(list.explain().rows, .countedIndex(property: "number"))
    try await store.close()
  }

  /// Steps, saves of programs with and without the indexes, kills and pinned contexts at random, against a dictionary.
  func testRandomSavesAndKillsLeaveEveryFetchRight() async throws {
    var random = SeededGenerator(seed: testSeed())
    try await fill(200) { ["number": $0, "label": "l\($0 % 3)", "note": "w\($0 % 11) x"] }
    var truth: [UniqueID: Int] = [:]
    var isNew = true
    for life in 0..<12 {
      let gate = Gate()
      let isOld = life % 4 == 3
      let store = try isOld ? bare() : opened(gate)
      let context = RootContext(store)
      if isNew { for part in try context.fetch(Fetch<Part>()) { truth[part.id.uuid] = number(part["number"]) } }
      isNew = false
      let pinned = isOld ? nil : PinnedContext(store, truth)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        gate.allow(Int.random(in: 0...12, using: &random))
        if isOld {
          try await change(BarePart.self, context, &truth, &random)
        } else {
          try await change(Part.self, context, &truth, &random)
          try check(context, truth)
          try pinned?.check(self)
        }
      }
      let report = try await StoreMaintenance.verify(store)
      XCTAssertEqual(report.problems, [], "life \(life)")
      gate.open()
      if Bool.random(using: &random) { await store.abandon() } else { try await store.close() }
    }
    let store = try opened()
    try await store.waitForIndexes()
    try check(RootContext(store), truth)
    XCTAssertEqual(store.unfinishedIndexes, [])
    try await assertSound(store)
    try await store.close()
  }

  private final class PinnedContext {
    let context: RootContext
    let truth: [UniqueID: Int]
    init(_ store: Store, _ truth: [UniqueID: Int]) {
      context = RootContext(store)
      context.followsHead = false
      self.truth = truth
    }
    func check(_ test: IndexBuildTests) throws { try test.check(context, truth) }
  }

  private func number(_ value: PropertyValue) -> Int { if case .int(let number) = value { Int(number) } else { -1 } }

  fileprivate func check(_ context: ObjectContext, _ truth: [UniqueID: Int]) throws {
    let all = try context.fetch(Fetch<Part>().sorted { _ in field("number", Int.self) })
    XCTAssertEqual(all.map { number($0["number"]) }, truth.values.sorted())
    let some = try context.fetch(inOrder(20..<90))
    XCTAssertEqual(some.map { number($0["number"]) }, truth.values.filter { 20..<90 ~= $0 }.sorted())
    XCTAssertEqual(try context.count(inOrder(20..<90)), some.count)
    let label = try context.fetch(Fetch<Part> { _ in field("label") == "l1" }.sorted { _ in field("number", Int.self) })
    let labelled = all.filter { $0["label"] == .string("l1") }
    XCTAssertEqual(label.map { number($0["number"]) }, labelled.map { number($0["number"]) })
    let found = try context.fetch(Fetch<Part> { _ in field("note").contains(words: "w3") })
    XCTAssertEqual(
      Set(found.map(\.id.uuid)),
      Set(all.filter { $0["note"] == .string("w3 x") }.map(\.id.uuid)))
  }

  private func change<Model: Version>(
    _: Model.Type, _ context: RootContext, _ truth: inout [UniqueID: Int], _ random: inout SeededGenerator
  ) async throws {
    let ids = truth.keys.sorted()
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let choice = Int.random(in: 0..<10, using: &random)
      let value = Int.random(in: 0..<150, using: &random)
      if choice < 2 || ids.isEmpty {
        let part = context.insert(
          Model(["number": value, "label": "l\(value % 3)", "note": "w\(value % 11) x"]))
        truth[part.id.uuid] = value
        continue
      }
      let uuid = ids[Int.random(in: 0..<ids.count, using: &random)]
      guard truth[uuid] != nil else { continue }
      let part = try context.object(Model.ID(uuid: uuid))
      switch choice {
      case 2, 3:
        context.delete(part)
        truth[uuid] = nil
      case 4: part["note"] = .string("w\(value % 11) x")
      case 5: part["label"] = .string("l\(value % 3)")
      default:
        part["number"] = .int(Int64(value))
        truth[uuid] = value
      }
    }
    try await context.save()
  }
}
