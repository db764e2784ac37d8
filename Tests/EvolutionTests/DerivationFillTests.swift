import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestProcesses
import RepriseTestSeeds
import Synchronization
import XCTest

private func text(_ value: PropertyValue) -> String { if case .string(let text) = value { text } else { "" } }

private let names: [Property] = [.attribute("first", String.self), .attribute("last", String.self)]

/// A program that does not derive anything.
private final class BareGuest: Version {
  static let entity = Entity(BareGuest.self, name: "Guest", properties: names)
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// One that does, with indexes of each kind over it.
private final class NamedGuest: Version {
  static let entity = Entity(
    NamedGuest.self, name: "Guest",
    properties: names + [
      .derived("full", String.self, of: NamedGuest.self, indexed: true) {
        "\(text($0["first"])) \(text($0["last"]))"
      },
      .index(["last", "full"]),
      .unique(["full"]),
      .searchIndex("full"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// One whose computation is another one.
private final class RenamedGuest: Version {
  static let entity = Entity(
    RenamedGuest.self, name: "Guest",
    properties: names + [
      .derived("full", String.self, of: RenamedGuest.self, version: 2, indexed: true) {
        "\(text($0["last"])), \(text($0["first"]))"
      },
      .index(["last", "full"]),
      .unique(["full"]),
      .searchIndex("full"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// One whose computation makes objects the same.
private final class InitialGuest: Version {
  static let entity = Entity(
    InitialGuest.self, name: "Guest",
    properties: names + [
      .derived("full", String.self, of: InitialGuest.self, version: 3, indexed: true) {
        String(text($0["first"]).prefix(1))
      },
      .unique(["full"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Derived attributes of objects that were stored before.
final class DerivationFillTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func open<Model: Version>(
    _ model: Model.Type, atOnce: Int = 2_000, _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> Store {
    var options = StoreOptions()
    options.isUnflushed = true
    options.indexing.atOnce = atOnce
    options.indexing.objectsRead = 30
    options.indexing.rows = 8
    options.indexing.mostRows = 16
    change(&options)
    return try Store.openNow(path, for: Schema(model), options)
  }

  private func fill(_ count: Int) async throws {
    let store = try open(BareGuest.self)
    let context = RootContext(store)
    for number in 0..<count { context.insert(BareGuest(["first": "F\(number)", "last": "L\(number % 7)"])) }
    try await context.save()
    try await store.close()
  }

  /// By the index, and without.
  private func found<Model: Version>(_ full: String, _ model: Model.Type, in store: Store) throws -> [PropertyValue] {
    let context = RootContext(store)
    let field = try Field<Model, String>(named: "full")
    let fetch = Fetch<Model> { _ in field == full }
    XCTAssertNotEqual(try context.explain(fetch).access, .scan)
    let slot = try XCTUnwrap(Model.entity.slot(named: "full"))
    for guest in try context.fetch(Fetch<Model>()) {
      XCTAssertEqual(guest._storage.value(slot), guest["full"])
    }
    return try context.fetch(fetch).map { $0["first"] }
  }

  func testOpeningComputesWhatWasNotDerivedBefore() async throws {
    for atOnce in [2_000, 10] {
      try await fill(200)
      let works = Mutex<[MigrationProgress]>([])
      let store = try open(NamedGuest.self, atOnce: atOnce) {
        $0.run = OpeningRun { progress in works.withLock { $0.append(progress) } }
      }
      XCTAssertEqual(try found("F11 L4", NamedGuest.self, in: store), [.string("F11")])
      let told = works.withLock { $0 }
      XCTAssertEqual(told.filter { $0.work == .derivation }.map(\.done), [30, 60, 90, 120, 150, 180, 200])
      XCTAssertEqual(told.first?.property, "full")
      XCTAssertEqual(told.contains { $0.work == .index }, atOnce == 10)
      try await store.waitForIndexes()
      let search = Fetch<NamedGuest> { _ in
        // invariant: the model has it.
        (try! Field<NamedGuest, String>(named: "full")).contains(words: "f12")
      }
      XCTAssertEqual(try RootContext(store).fetch(search).map { $0["first"] }, [.string("F12")])
      try await assertSound(store)
      let head = store.log.head
      try await store.close()
      let again = try open(NamedGuest.self, atOnce: atOnce) {
        $0.indexing.onStep = { XCTFail("nothing is to be done") }
      }
      XCTAssertEqual(again.log.head, head)
      try await again.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }

  func testAnotherVersionIsComputedInEitherDirection() async throws {
    try await fill(50)
    try await open(NamedGuest.self).close()
    let store = try open(RenamedGuest.self)
    XCTAssertEqual(try found("L4, F11", RenamedGuest.self, in: store), [.string("F11")])
    XCTAssertEqual(try found("F11 L4", RenamedGuest.self, in: store), [])
    try await assertSound(store)
    try await store.close()
    let back = try open(NamedGuest.self)
    XCTAssertEqual(try found("F11 L4", NamedGuest.self, in: back), [.string("F11")])
    try await assertSound(back)
    try await back.close()
  }

  func testWhatAProgramWithoutItChangedIsComputedByTheNextOpening() async throws {
    try await fill(50)
    try await open(NamedGuest.self).close()
    let bare = try open(BareGuest.self)
    let context = RootContext(bare)
    let first = try Field<BareGuest, String>(named: "first")
    let guest = try XCTUnwrap(try context.fetch(Fetch<BareGuest> { _ in first == "F11" }).first)
    guest["first"] = .string("Ada")
    context.insert(BareGuest(["first": "Bob", "last": "Ross"]))
    try await context.save()
    try await bare.close()
    let store = try open(NamedGuest.self)
    XCTAssertEqual(try found("Ada L4", NamedGuest.self, in: store), [.string("Ada")])
    XCTAssertEqual(try found("Bob Ross", NamedGuest.self, in: store), [.string("Bob")])
    try await assertSound(store)
    try await store.close()
  }

  func testWhatHasNoObjectsIsNotComputed() async throws {
    let store = try open(NamedGuest.self) { $0.indexing.onStep = { XCTFail("there is nothing") } }
    let context = RootContext(store)
    context.insert(NamedGuest(["first": "Ada", "last": "King"]))
    try await context.save()
    try await store.close()
    let again = try open(NamedGuest.self) { $0.indexing.onStep = { XCTFail("all is computed") } }
    XCTAssertEqual(try found("Ada King", NamedGuest.self, in: again), [.string("Ada")])
    try await again.close()
  }

  func testACancelledOpeningGoesOnWhereItWas() async throws {
    try await fill(200)
    let run = OpeningRun { [cancelled = Mutex(0)] progress in
      let count = cancelled.withLock { count in
        count += 1
        return count
      }
      if count == 3 { Self.cancel?() }
      XCTAssertLessThan(progress.done, 120)
    }
    Self.cancel = { run.cancel() }
    XCTAssertThrowsError(try open(NamedGuest.self) { $0.run = run }) { error in
      guard case StoreError.migration(.cancelled) = error else { return XCTFail("\(error)") }
    }
    Self.cancel = nil
    let bare = try open(BareGuest.self)
    try await assertSound(bare)
    let before = bare.log.head
    try await bare.close()
    let store = try open(NamedGuest.self)
    XCTAssertEqual(try found("F11 L4", NamedGuest.self, in: store), [.string("F11")])
    var changed = 0
    for position in before.number + 1...store.log.head.number {
      changed += try XCTUnwrap(try store.log.transaction(at: Position(position))).changes.count
    }
    XCTAssertLessThan(changed, 200)
    try await assertSound(store)
    try await store.close()
  }

  nonisolated(unsafe) private static var cancel: (() -> Void)?

  func testOneThatWouldBreakARuleIsRefusedAndTheEarlierProgramGoesOn() async throws {
    try await fill(20)
    try await open(NamedGuest.self).close()
    XCTAssertThrowsError(try open(InitialGuest.self)) { error in
      guard case StoreError.violations(let violations) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(violations.first?.properties, ["full"])
    }
    let store = try open(NamedGuest.self)
    XCTAssertEqual(try found("F11 L4", NamedGuest.self, in: store), [.string("F11")])
    try await assertSound(store)
    try await store.close()
  }

  func testComputesAsAChild() async throws {
    guard let path = ProcessInfo.processInfo.environment["REPRISE_DERIVING"] else {
      throw XCTSkip("for a process that is killed")
    }
    var options = StoreOptions()
    options.indexing.objectsRead = 200
    options.run = OpeningRun { _ in
      ChildProcess.say("slice")
      ChildProcess.waitForParent()
    }
    _ = try Store.openNow(path, for: Schema(NamedGuest.self), options)
    ChildProcess.say("open")
    ChildProcess.waitForParent()
  }

  /// A program without the attribute saves on both sides of where the child is.
  func testKillsWhileAnotherProgramSavesLeaveNothingUncomputed() async throws {
    #if os(Linux)
    var random = SeededGenerator(seed: testSeed())
    let count = 2_500
    var store = try await Store.open(path, for: BareGuest.self)
    var context = RootContext(store)
    for number in 0..<count { context.insert(BareGuest(["first": "F\(number)", "last": "L"])) }
    try await context.save()
    for kill in 0..<4 {
      var guests = try context.fetch(Fetch<BareGuest>())
      let child = try ChildProcess(
        test: "RepriseEvolutionTests.DerivationFillTests/testComputesAsAChild", ["REPRISE_DERIVING": path])
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        guard child.wait(for: "slice") != nil else { return XCTFail("the child could not open the store") }
        let changed = guests.indices.shuffled(using: &random).prefix(20)
        for place in changed { guests[place]["last"] = .string("K\(kill).\(place)") }
        if let last = guests.indices.last, !changed.contains(last) {
          context.delete(guests.remove(at: last))
        }
        context.insert(BareGuest(["first": "New \(UInt32.random(in: 0...(.max), using: &random))", "last": "N"]))
        try await context.save()
        child.tell("")
      }
      if kill == 3 {
        for _ in 0..<1_000 { child.tell("") }
        XCTAssertNotNil(child.wait(for: "open"))
      }
      child.kill()
      let problems = try await StoreMaintenance.verify(store).problems
      XCTAssertEqual(problems, [])
    }
    try await store.close()
    store = try open(NamedGuest.self) { $0.isUnflushed = false }
    context = RootContext(store)
    XCTAssertEqual(try context.violations(of: Fetch<NamedGuest>()), [])
    try await assertSound(store)
    try await store.close()
    #endif
  }
}
