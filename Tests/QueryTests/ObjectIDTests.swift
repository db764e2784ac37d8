import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// Conditions on IDs, and on who is a member.
final class ObjectIDTests: InventoryTestCase {
  func testTheFetchedObject() throws {
    let (chair, lamp, unknown) = (chair, lamp, Item(name: "never seen"))
    try expect([chair]) { $0.id == chair.id }
    try expect([table, lamp, ecole, orphan]) { $0.id != chair.id }
    try expect([chair, lamp]) { $0.id.isIn([lamp.id, chair.id, unknown.id]) }
    try expect([chair, lamp]) { [lamp.id, chair.id].contains($0.id) }
    try expect([] as [Item]) { $0.id.isIn([]) }
    try expect([] as [Item]) { $0.id == nil }
    try expect([] as [Item]) { $0.id == unknown.id }
    try expect([chair]) { $0.id == chair.id && $0.valueInDollars == 10 }
    try expect([] as [Item]) { $0.id == chair.id && $0.valueInDollars == 11 }
  }

  func testIDsAreComparedByBirth() throws {
    // Without the type, the compiler may take `Identifiable`'s `ObjectIdentifier`, which is the address.
    let items = [chair, table, lamp, ecole, orphan].sorted { ($0.id as Item.ID) < ($1.id as Item.ID) }
    for (place, item) in items.enumerated() {
      try expect(Array(items[(place + 1)...])) { $0.id > item.id }
      try expect(Array(items[place...])) { $0.id >= item.id }
      try expect(Array(items[..<place])) { $0.id < item.id }
      try expect(Array(items[...place])) { $0.id <= item.id }
      try expect(Array(items[(place + 1)...])) { !($0.id <= item.id) }
      try expect([item]) { $0.id >= item.id && $0.id <= item.id }
      try expect([] as [Item]) { $0.id > item.id && $0.id < item.id }
      try expect(items) { $0.id > item.id || $0.id <= item.id }
    }
    let (ada, bob) = (ada, bob)
    let (first, second) = ada.id < bob.id ? (ada, bob) : (bob, ada)
    try expect(items.filter { $0.owner.map { $0.id > first.id } ?? false }) { $0.owner.id > first.id }
    try expect(items.filter { $0.owner.map { $0.id < second.id } ?? false }) { $0.owner.id < second.id }
  }

  func testBehindALink() throws {
    let (ada, bob) = (ada, bob)
    try expect([chair, table]) { $0.owner.id == ada.id }
    try expect([orphan]) { $0.owner.id == nil }
    try expect([lamp]) { $0.owner.boss.id == ada.id }
    try expect([chair, table, lamp]) { $0.owner.id.isIn([ada.id, bob.id]) }
    try expect([lamp, ecole, orphan]) { $0.owner.id != ada.id }
    try expect([orphan]) { $0.owner.id == $0.owner.boss.id }
    try expect([chair, table]) { $0.owner == (ada as Person?) }
    try expect([orphan]) { $0.owner == (nil as Person?) }
    try expect([lamp, ecole, orphan]) { $0.owner != (ada as Person?) }
    try expect([chair, table, lamp]) { $0.owner.isIn([ada, bob]) }
    XCTAssertEqual(
      try source().compile(Fetch<Item> { $0.owner.id == ada.id }).access,
      try source().compile(Fetch<Item> { $0.owner == ada }).access)
  }

  func testMembers() throws {
    let (chair, orphan, bob, unknown) = (chair, orphan, bob, Item(name: "never seen"))
    try expect([ada]) { $0.items.contains(chair) }
    try expect([ada]) { $0.items.contains(chair.id) }
    try expect([ada]) { $0.items.any { $0.id == chair.id } }
    try expect([bob, eve]) { !$0.items.contains(chair) }
    try expect([] as [Person]) { $0.items.contains(orphan) }
    try expect([] as [Person]) { $0.items.contains(unknown) }
    try expect([bob]) { $0.boss.items.contains(chair) }
    try expect([ada]) { $0.items.any { $0.id.isIn([chair.id, orphan.id]) && $0.valueInDollars > 5 } }
    try expect([bob, eve]) { $0.items.all { $0.id != chair.id } }
    try expect([chair, table]) { $0.owner.reports.contains(bob) }
    try expect([ada, bob]) { $0.items.contains(chair) || $0.name == "Bob" }
  }

  func testWhetherThereAreMembers() throws {
    try expect([eve]) { $0.reports.isEmpty }
    try expect([ada, bob]) { !$0.reports.isEmpty }
    // Nothing is a member behind a missing link.
    try expect([ada]) { $0.boss.reports.isEmpty }
    try expect([ecole, orphan]) { $0.owner.reports.isEmpty }
  }

  /// The objects to look up instead of all.
  func testWhatIsNamedIsLookedUp() throws {
    let source = try source()
    let (chair, lamp, ada, eve) = (chair, lamp, ada, eve)
    func items(_ condition: (Item.Fields) -> Condition<Item>) throws -> AccessPath {
      try source.compile(Fetch<Item>(condition)).access
    }
    func people(_ condition: (Person.Fields) -> Condition<Person>) throws -> AccessPath {
      try source.compile(Fetch<Person>(condition)).access
    }
    func objects(_ objects: any PersistentModel...) -> AccessPath { .objects(objects.map(\._storage.id.uuid).sorted()) }
    let ownerOfChair = AccessPath.referred(by: Item.entity, slot: 6, objects(chair))
    XCTAssertEqual(try items { $0.id == chair.id }, objects(chair))
    XCTAssertEqual(try items { $0.id == nil }, .nothing)
    XCTAssertEqual(try items { $0.id.isIn([lamp.id, chair.id]) }, objects(chair, lamp))
    XCTAssertEqual(try items { $0.weight == 1 && $0.id == chair.id }, objects(chair))
    XCTAssertEqual(
      try items { $0.id.isIn([lamp.id, chair.id]) && $0.id == lamp.id },
      .intersection([objects(chair, lamp), objects(lamp)]))
    XCTAssertEqual(try items { $0.id == lamp.id || $0.id == chair.id }, objects(chair, lamp))
    XCTAssertEqual(try items { $0.id == lamp.id && ($0.id == chair.id || $0.weight == 1) }, objects(lamp))
    XCTAssertEqual(try items { $0.id == lamp.id || $0.weight == 1 }, .scan)
    XCTAssertEqual(try items { $0.id != lamp.id }, .scan)
    XCTAssertEqual(try items { $0.owner.id == ada.id }, .inverse(slot: 6, targets: [ada.id.any]))
    XCTAssertEqual(try people { $0.items.contains(chair) }, ownerOfChair)
    XCTAssertEqual(try people { $0.items.any { $0.id == chair.id && $0.weight == 1 } }, ownerOfChair)
    XCTAssertEqual(
      try people { $0.reports.any { $0.items.contains(chair) } }, .referred(by: Person.entity, slot: 3, ownerOfChair))
    XCTAssertEqual(try people { $0.boss.items.contains(chair) }, .scan)
    XCTAssertEqual(try people { $0.items.all { $0.id == chair.id } }, .scan)
    XCTAssertEqual(try people { $0.items.contains(chair) || $0.id == eve.id }, .union([ownerOfChair, objects(eve)]))
  }

  func testAnObjectOfAnotherModelIsRefused() throws {
    let steps = [Step.compare(Term([]), .equal, .reference(ada.id.any))]
    XCTAssertThrowsError(try source().compile(Fetch<Item> { _ in Condition(steps: steps) })) {
      XCTAssertEqual(
        $0 as? FetchError, .wrongType(term: "id", expected: "an object of Item", found: "an object of Person"))
    }
  }

  func testByBirthAndByYouth() throws {
    let all = [chair, table, lamp, ecole, orphan].map(\.id.any)
    let source = try source()
    XCTAssertEqual(try source.run(Fetch<Item>().sorted { $0.id }), all)
    XCTAssertEqual(try source.run(Fetch<Item>().sorted { $0.id.descending }), all.reversed())
    XCTAssertTrue(try source.compile(Fetch<Item>().sorted { $0.id }).isByBirth)
    XCTAssertFalse(try source.compile(Fetch<Item>().sorted { $0.id.descending }).isByBirth)
    // A tie is broken so anyway.
    XCTAssertTrue(
      try source.compile(Fetch<Item>().sorted { [$0.name, $0.id, $0.valueInDollars] }).isWholeIndex(0, ascending: true))
    XCTAssertTrue(
      try source.compile(Fetch<Item>().sorted { [$0.name.descending, $0.id.descending] })
        .isWholeIndex(0, ascending: false))
    let mixed = try source.compile(Fetch<Item>().sorted { [$0.name, $0.id.descending] })
    XCTAssertFalse(mixed.isWholeIndex(0, ascending: true))
    table.condition = .worn
    XCTAssertEqual(
      try source.run(Fetch<Item>().sorted { [$0.condition, $0.id.descending] }),
      [orphan, ecole, lamp, table, chair].map(\.id.any))
  }
}
