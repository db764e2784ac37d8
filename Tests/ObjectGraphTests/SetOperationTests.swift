import RepriseEventStore
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseObjectGraph

/// An update or a deletion of many objects is as if it were made object by object, without the objects.
final class SetOperationTests: XCTestCase {
  private func fill(_ context: EditingContext, _ random: inout SeededGenerator) -> [Person.ID] {
    var people: [Person] = []
    for zip in 0..<12 {
      let person = context.insert(Person(name: "\(zip % 5)", zip: zip))
      person.boss = Bool.random(using: &random) ? people.randomElement(using: &random) : nil
      people.append(person)
    }
    for number in 0..<60 {
      let item = context.insert(Item(name: "\(number % 7)", valueInDollars: number % 10))
      item.owner = Bool.random(using: &random) ? people.randomElement(using: &random) : nil
      item.weight = Bool.random(using: &random) ? 1.5 : nil
    }
    return people.map(\.id)
  }

  private func edit(_ context: EditingContext, _ people: [Person.ID], _ random: inout SeededGenerator) throws {
    for item in try context.fetch(Fetch<Item>()).shuffled(using: &random).prefix(10) {
      item.valueInDollars += Int.random(in: 0..<3, using: &random)
      item.owner = people.randomElement(using: &random).flatMap { context.find($0) }
    }
    if let person = people.randomElement(using: &random).flatMap({ context.find($0) }) {
      context.delete(person)
    }
    context.insert(Item(name: "new", valueInDollars: 3))
  }

  func testAnUpdateIsAsIfEachObjectWereAssignedTo() async throws {
    for seed in testSeeds(10) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore()
      let root = RootContext(test.store)
      let people = fill(root, &random)
      try await root.save()
      try edit(root, people, &random)
      let (whole, single) = (root.makeChild(), root.makeChild())
      for _ in 0..<6 {
        let number = Int.random(in: 0..<10, using: &random)
        let target = people.randomElement(using: &random).flatMap { root.find($0) }?.id
        let fetches: [Fetch<Item>] = [
          Fetch { $0.valueInDollars > number }, Fetch { $0.name == "\(number)" }, Fetch { $0.owner == target },
          Fetch().sorted { $0.name.descending }.limit(number), Fetch { $0.owner.zip > number },
        ]
        let fetch = try XCTUnwrap(fetches.randomElement(using: &random))
        let step = Int.random(in: -3..<4, using: &random)
        // Half of them are live.
        let live = try whole.fetch(Fetch<Item>()).shuffled(using: &random).prefix(30)
        let before = whole.overlay.changes
        let matches = try single.fetch(fetch)
        let changed = try whole.update(fetch, name: "Many") {
          [
            $0.valueInDollars.increase(by: step), $0.weight.increase(by: 0.5), $0.isInsured.set(to: true),
            $0.photo.set(to: nil), $0.owner.set(to: target.flatMap { whole.find($0) }),
          ]
        }
        single.group("Single") {
          for item in matches {
            item.valueInDollars += step
            item.weight = item.weight.map { $0 + 0.5 }
            item.isInsured = true
            item.photo = nil
            item.owner = target.flatMap { single.find($0) }
          }
        }
        XCTAssertEqual(whole.overlay.changes, single.overlay.changes, "seed \(seed): \(fetch)")
        for item in live where item.state != .deleted {
          XCTAssertEqual(item.snapshot, single.find(item.id)?.snapshot, "seed \(seed)")
        }
        guard changed > 0 else { continue }
        XCTAssertEqual(whole.undoName, "Many")
        let after = whole.overlay.changes
        whole.undo()
        XCTAssertEqual(whole.overlay.changes, before, "seed \(seed): undone")
        whole.redo()
        XCTAssertEqual(whole.overlay.changes, after, "seed \(seed): redone")
      }
      try whole.save()
      try await root.save()
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, report.description)
    }
  }

  func testADeletionOfManyFollowsTheRulesOfEach() async throws {
    for seed in testSeeds(10) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore()
      let root = RootContext(test.store)
      let people = fill(root, &random)
      try await root.save()
      try edit(root, people, &random)
      let (whole, single) = (root.makeChild(), root.makeChild())
      try edit(whole, people, &random)
      try single.group("same") { try copy(whole, into: single) }
      for _ in 0..<3 {
        let zip = Int.random(in: 0..<12, using: &random)
        let fetch = [
          Fetch<Person> { $0.zip >= zip / 2 && $0.zip < zip + 3 }, Fetch { $0.name == "\(zip % 5)" },
          Fetch { $0.boss != nil }.limit(zip),
        ].randomElement(using: &random)
        guard let fetch else { continue }
        let before = whole.overlay.changes
        let gone = try single.fetch(fetch)
        let live = try whole.fetch(Fetch<Item>()).prefix(20)
        XCTAssertEqual(try whole.deleteAll(fetch, name: "Many"), gone.count, "seed \(seed)")
        single.group("Single") { for person in gone { single.delete(person) } }
        XCTAssertEqual(whole.overlay.changes, single.overlay.changes, "seed \(seed): \(fetch)")
        XCTAssertEqual(try whole.count(fetch), try single.count(fetch))
        for item in live { XCTAssertEqual(item.state == .deleted, single.find(item.id) == nil, "seed \(seed)") }
        guard !gone.isEmpty else { continue }
        let after = whole.overlay.changes
        whole.undo()
        XCTAssertEqual(whole.overlay.changes, before, "seed \(seed): undone")
        whole.redo()
        XCTAssertEqual(whole.overlay.changes, after, "seed \(seed): redone")
      }
      try whole.save()
      try await root.save()
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertTrue(report.isSound, report.description)
    }
  }

  private func copy(_ from: ChildContext, into other: ChildContext) throws {
    other.apply(from.overlay.changes.map { ($0.key, $0.value) })
    XCTAssertEqual(other.overlay.changes, from.overlay.changes)
  }

  @MainActor
  func testADraftOfManyChangesComesBackAfterAKillAsOneStep() async throws {
    let test = try TestStore()
    do {
      let root = test.store.mainContext
      for number in 0..<200 { root.insert(Item(name: "\(number % 2)", valueInDollars: number)) }
      try await root.save()
      let editor = try root.makeChild(draft: "editor")
      XCTAssertEqual(
        try editor.update(Fetch<Item> { $0.name == "1" }, name: "Raise") { $0.valueInDollars.increase(by: 5) }, 100)
      XCTAssertEqual(try editor.deleteAll(Fetch<Item> { $0.valueInDollars >= 150 }, name: "Clear"), 53)
      try test.store.journal.flush()
    }
    try await test.kill()
    let root = test.store.mainContext
    let editor = try root.makeChild(draft: "editor")
    XCTAssertEqual(try editor.count(Fetch<Item>()), 147)
    XCTAssertEqual(editor.undoName, "Clear")
    editor.undo()
    XCTAssertEqual(editor.undoName, "Raise")
    XCTAssertEqual(try editor.aggregate(Fetch<Item>()) { $0.valueInDollars.sum }, 199 * 100 + 500)
    editor.undo()
    XCTAssertFalse(editor.canUndo)
    XCTAssertFalse(editor.hasChanges)
    editor.redo()
    editor.redo()
    try editor.save()
    try await root.save()
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Item>()), 147)
  }

  /// Without an isolation there are no turns at whose end changes are announced together.
  func testManyChangesAreAnnouncedOnce() throws {
    let test = try TestStore()
    let root = RootContext(test.store)
    for number in 0..<50 { root.insert(Item(name: "", valueInDollars: number)) }
    let child = root.makeChild()
    var (heard, heardAbove) = (0, 0)
    let token = root.observe(Self.self) { heard += 1 }
    let tokenAbove = child.observe(Self.self) { heardAbove += 1 }
    try root.update(Fetch<Item>()) { $0.isInsured.set(to: true) }
    XCTAssertEqual(heard, 1)
    XCTAssertEqual(heardAbove, 1)
    try root.deleteAll(Fetch<Item> { $0.valueInDollars < 20 })
    XCTAssertEqual(heard, 2)
    XCTAssertEqual(heardAbove, 2)
    try root.update(Fetch<Item>()) { $0.isInsured.set(to: true) }
    XCTAssertEqual(heard, 2, "Nothing changed.")
    root.insert(Item(name: "one"))
    XCTAssertEqual(heard, 3)
    root.removeObserver(token)
    child.removeObserver(tokenAbove)
  }

  func testNoObjectsAreMadeOfWhatIsChanged() async throws {
    let test = try TestStore()
    let root = RootContext(test.store)
    for number in 0..<100 { root.insert(Item(name: "", valueInDollars: number)).owner = nil }
    root.insert(Person(name: "boss"))
    try await root.save()
    let context = RootContext(test.store)
    try context.update(Fetch<Item>()) { $0.isInsured.set(to: true) }
    try context.deleteAll(Fetch<Item> { $0.valueInDollars < 50 })
    XCTAssert(context.instances.live.isEmpty)
  }

  func testARefusedUpdateChangesNothing() async throws {
    let test = try TestStore(Schema(Sale.self, Shop.self))
    let context = RootContext(test.store)
    let good = context.insert(Sale(number: 1))
    let full = context.insert(Sale(number: .max))
    full.small = 127
    try await context.save()
    let all = Fetch<Sale>()
    XCTAssertThrowsError(try context.update(all) { [$0.isPaid.set(to: true), $0.number.increase(by: 1)] }) {
      XCTAssertEqual($0 as? UpdateError, .overflow(object: full.id.any, property: "number"))
    }
    XCTAssertThrowsError(try context.update(all) { $0.small.increase(by: 1) }) {
      guard case .invalidValue(let value)? = $0 as? UpdateError else { return XCTFail("\($0)") }
      XCTAssertEqual(value.object, full.id.any)
      XCTAssertEqual(value.reason, .outOfRange)
    }
    XCTAssertThrowsError(try context.update(all) { $0.isPaid.set(to: nil) }) {
      guard case .invalidValue(let value)? = $0 as? UpdateError else { return XCTFail("\($0)") }
      XCTAssertEqual(value.reason, .missing)
    }
    XCTAssertThrowsError(try context.update(all) { $0.shop.rank.set(to: 1) }) {
      XCTAssertEqual($0 as? FetchError, .notAssignable("shop.rank"))
    }
    let shop = context.insert(Shop(name: "gone"))
    context.delete(shop)
    XCTAssertThrowsError(try context.update(all) { $0.shop.set(to: shop.id) }) {
      XCTAssertEqual($0 as? UpdateError, .missingTarget(shop.id.any))
    }
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(good.isPaid, false)
    XCTAssertEqual(try context.update(Fetch<Sale> { $0.number == 1 }) { $0.number.increase(by: -2) }, 1)
    XCTAssertEqual(good.number, -1)
  }

  func testOneEndOfAOneToOneIsNotGivenToMany() throws {
    let test = try TestStore(Schema(Bicycle.self, Lock.self, Key.self, Shed.self))
    let context = RootContext(test.store)
    let bicycle = context.insert(Bicycle(name: "a"))
    let lock = context.insert(Lock(code: 1))
    let toLock = ToOneField<Bicycle, Lock>(FieldPath.root.appending("lock"))
    let toBicycle = ToOneField<Lock, Bicycle>(FieldPath.root.appending("bicycle"))
    XCTAssertThrowsError(try context.update(Fetch<Bicycle>()) { _ in toLock.set(to: lock.id) }) {
      XCTAssertEqual($0 as? UpdateError, .oneToOne(entity: "Bicycle", property: "lock"))
    }
    XCTAssertThrowsError(try context.update(Fetch<Lock>()) { _ in toBicycle.set(to: bicycle.id) }) {
      XCTAssertEqual($0 as? FetchError, .notAssignable("bicycle"))
    }
    bicycle.lock = lock
    XCTAssertEqual(try context.update(Fetch<Bicycle>()) { _ in toLock.set(to: nil) }, 1)
    XCTAssertNil(lock.bicycle)
  }

  func testFindOrInsertInsertsOnce() async throws {
    let test = try TestStore()
    let context = RootContext(test.store)
    var made = 0
    func chair() throws -> Item {
      try context.findOrInsert(Fetch<Item> { $0.name == "chair" }) {
        made += 1
        return Item(name: "chair")
      }
    }
    let first = try chair()
    XCTAssertEqual(try chair(), first)
    try await context.save()
    XCTAssertEqual(try chair(), first)
    XCTAssertEqual(
      try context.makeChild().findOrInsert(Fetch<Item> { $0.name == "chair" }) { Item(name: "chair") }.id, first.id)
    XCTAssertEqual(made, 1)
    struct Refused: Error {}
    XCTAssertThrowsError(try context.findOrInsert(Fetch<Item> { $0.name == "table" }) { throw Refused() })
    XCTAssertFalse(context.hasChanges)
  }

  /// A record that cannot be read: nothing is deleted, instead of a part.
  func testADeletionOfWhichSomethingCannotBeReadDeletesNothing() async throws {
    let test = try TestStore()
    let root = RootContext(test.store)
    let people = (0..<3).map { root.insert(Person(name: "", zip: $0)) }
    let item = root.insert(Item(name: "kept"))
    item.owner = people[1]
    try await root.save()
    let map = try XCTUnwrap(test.store.map.map(Item.entity.interned))
    try test.store.damageRecords([item.id.any], map)
    let context = RootContext(test.store)
    XCTAssertThrowsError(try context.deleteAll(Fetch<Person>()))
    XCTAssertFalse(context.hasChanges)
    XCTAssertEqual(try context.deleteAll(Fetch<Person> { $0.zip == 0 }), 1)
  }
}
