import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestModels
import XCTest

/// Objects that are found by nils, and changed together.
final class EqualNilUpsertTests: EqualNilTestCase {
  // MARK: Fetches

  func testTheIndexServesFetchesOfNils() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let halls = (0..<20).map { context.insert(Hall("\($0)")) }
    for hall in halls { for row in 0..<20 { context.insert(Seat(hall, row: row == 0 ? nil : row)) } }
    for row in 0..<20 { context.insert(Seat(nil, row: row)) }
    try await context.save()
    let own = Fetch<Seat> { $0.hall == halls[7] && $0.row == nil }
    XCTAssertEqual(try context.count(own), 1)
    XCTAssertLessThanOrEqual(try context.explain(own).visits, 1)
    let none = Fetch<Seat> { $0.hall == nil && $0.row == 4 }
    XCTAssertEqual(try context.count(none), 1)
    XCTAssertLessThanOrEqual(try context.explain(none).visits, 1)
    let sorted = Fetch<Seat> { $0.hall == halls[3] }.sorted { $0.row }
    XCTAssertEqual(try context.fetch(sorted).map(\.row), [nil] + (1..<20).map { $0 })
  }

  // MARK: Upserts

  func testAnUpsertFindsAnObjectByANil() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let hall = context.insert(Hall("A"))
    let saved = context.insert(Seat(hall, row: nil))
    try await context.save()
    let pending = context.insert(Seat(nil, row: 4))
    func upsert(_ hall: Hall?, _ row: Int?, _ price: Int) throws -> (object: Seat, outcome: UpsertOutcome) {
      try context.upsert(by: \Seat.row, \Seat.hall) {
        [$0.hall.set(to: hall?.id), $0.row.set(to: row), $0.price.set(to: price)]
      }
    }
    let first = try upsert(hall, nil, 1)
    XCTAssertTrue(first.object === saved)
    XCTAssertEqual(first.outcome, .updated)
    XCTAssertEqual(try upsert(hall, nil, 1).outcome, .unchanged)
    XCTAssertTrue(try upsert(nil, 4, 2).object === pending)
    let empty = try upsert(nil, nil, 3)
    XCTAssertEqual(empty.outcome, .inserted)
    XCTAssertTrue(try upsert(nil, nil, 4).object === empty.object)
    try await context.save()
    let child = context.makeChild()
    let found = try child.upsert(by: \Seat.hall, \Seat.row) { [$0.hall.set(to: nil), $0.row.set(to: nil)] }
    XCTAssertEqual(found.object.id, empty.object.id)
    XCTAssertThrowsError(try context.upsert(by: \Seat.hall, \Seat.row) { [$0.hall.set(to: nil)] }) {
      XCTAssertEqual($0 as? UpdateError, .missingKey(entity: "Seat", properties: ["hall", "row"]))
    }
    XCTAssertEqual(try context.count(Fetch<Seat>()), 3)
  }

  func testManyUpsertsFindTheirObjectsByNils() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    let counts = try context.upsert(0..<30, by: \Ticket.holder, \Ticket.day) { ticket, number in
      [
        ticket.holder.set(to: number % 3 == 0 ? nil : number % 2 == 0 ? "ada" : "ADA"),
        ticket.day.set(to: number % 5 == 0 ? nil : number % 5),
      ]
    }
    XCTAssertEqual(counts.inserted, 10)
    try await context.save()
    XCTAssertEqual(try context.count(Fetch<Ticket>()), 10)
    try await assertSound(test.store)
  }

  func testABatchThatLosesARaceFindsTheOthersNil() async throws {
    let test = try testStore()
    let store = test.store
    let theirs = Guarded<AnyObjectID?>(nil)
    let done = try await BackgroundContext(store).upsert(0..<4, by: \Seat.hall, \Seat.row) { seat, number in
      if number == 3, theirs.withLock({ $0 }) == nil {
        var other = Seat.entity.defaults
        other[1] = .int(100)
        let id = AnyObjectID(Seat.entity.interned, UniqueID())
        theirs.withLock { $0 = id }
        try store.appendAsAnotherProcess([(id, .inserted(other))])
      }
      return [seat.hall.set(to: nil), seat.row.set(to: number == 0 ? nil : number), seat.price.increase(by: 1)]
    }
    XCTAssertEqual([done.counts.inserted, done.counts.updated], [3, 1])
    let id = try XCTUnwrap(theirs.withLock { $0 })
    XCTAssertEqual((try RootContext(store).object(id) as? Seat)?.price, 101)
    try await assertSound(store)
  }

  // MARK: Updates of many objects

  func testAnUpdateThatMakesEqualNilsIsRefused() async throws {
    let test = try testStore()
    let context = RootContext(test.store)
    for row in 0..<5 { context.insert(Seat(nil, row: row)) }
    try await context.save()
    let head = test.store.log.head
    try context.update(Fetch<Seat> { $0.row >= 3 }) { $0.row.set(to: nil) }
    let found = await violations { try await context.save() }
    XCTAssertEqual(found.map(\.values), [[.null, .null]])
    context.discard()
    let batches = await violations {
      _ = try await BackgroundContext(test.store).update(Fetch<Seat>()) { [$0.row.set(to: nil)] }
    }
    XCTAssertEqual(batches.count, 4)
    XCTAssertEqual(test.store.log.head, head)
    try context.update(Fetch<Seat> { $0.row == 3 }) { $0.row.set(to: nil) }
    try await context.save()
    try await assertSound(test.store)
  }
}
