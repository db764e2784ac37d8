import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// What comes back with an object that another context deleted, and that a save restores.
@MainActor
final class RestoredMembersTests: XCTestCase {
  private typealias Edit<Known> = (Known, EditingContext) throws -> Void

  private static let policies: [MergePolicy] = [.mine, .overwrite, .custom { _ in .mine }]

  /// Runs the edits for roots that have seen the other saves, for roots that have not, and for a child. Each edit of
  /// theirs is a save, or a step of the parent.
  private func forAll<Known>(
    _ models: Schema, _ prepared: (RootContext) -> Known, mine: Edit<Known>, theirs: [Edit<Known>],
    _ expect: (Known, ObjectContext) throws -> Void
  ) async throws {
    for policy in Self.policies {
      for (isChild, isSeen) in [(false, true), (false, false), (true, true)] {
        let test = try TestStore(models)
        let root = RootContext(test.store)
        let known = prepared(root)
        try await root.save()
        let editors = TwoEditors(root, isChild: isChild)
        try mine(known, editors.mine)
        for (number, edit) in theirs.enumerated() {
          try edit(known, editors.theirs)
          try await editors.saveTheirs(isSeen: isSeen && number == theirs.count - 1)
        }
        try await editors.saveMine(merging: policy)
        try expect(known, editors.mine)
        if isChild { try await root.save() }
        try expect(known, RootContext(test.store))
        let report = try await StoreMaintenance.verify(test.store)
        XCTAssertTrue(report.isSound, report.description)
      }
    }
  }

  // MARK: To-manys

  private struct Family {
    let ada: Person.ID
    let bob: Person.ID
    let cy: Person.ID
    let eve: Person.ID
    let chair: Item.ID
    let desk: Item.ID
  }

  private func family(_ context: RootContext) -> Family {
    let people = ["Ada", "Bob", "Cy", "Eve"].map { context.insert(Person(name: $0)) }
    people[1].boss = people[0]
    people[2].boss = people[0]
    let items = ["chair", "desk"].map { context.insert(Item(name: $0)) }
    for item in items { item.owner = people[0] }
    return Family(
      ada: people[0].id, bob: people[1].id, cy: people[2].id, eve: people[3].id, chair: items[0].id, desk: items[1].id)
  }

  private let people = Schema(Item.self, Person.self)

  func testMembersAndPartsComeBackWithTheirOwner() async throws {
    try await forAll(
      people, { family($0) },
      mine: { known, context in
        try context.object(known.ada).name = "Ada L."
      }, theirs: [{ known, context in context.delete(try context.object(known.ada)) }]
    ) { known, context in
      let ada = try context.object(known.ada)
      XCTAssertEqual(ada.name, "Ada L.")
      XCTAssertEqual(ada.reports.map(\.id), [known.bob, known.cy])
      XCTAssertEqual(ada.items.map(\.id), [known.chair, known.desk])
    }
  }

  func testAMemberThatWasPointedElsewhereStaysThere() async throws {
    try await forAll(
      people, { family($0) },
      mine: { known, context in
        try context.object(known.ada).name = "Ada L."
      },
      theirs: [
        { known, context in context.delete(try context.object(known.ada)) },
        { known, context in
          try context.object(known.bob).boss = context.object(known.eve)
          context.delete(try context.object(known.cy))
        },
      ]
    ) { known, context in
      XCTAssertEqual(try context.object(known.ada).reports.count, 0)
      XCTAssertEqual(try context.object(known.bob).boss?.id, known.eve)
      XCTAssertNil(context.find(known.cy))
      XCTAssertEqual(try context.object(known.ada).items.count, 2)
    }
  }

  func testAMemberRemovedHereStaysAway() async throws {
    try await forAll(
      people, { family($0) },
      mine: { known, context in
        try context.object(known.ada).name = "Ada L."
        try context.object(known.bob).boss = nil
        context.delete(try context.object(known.chair))
      }, theirs: [{ known, context in context.delete(try context.object(known.ada)) }]
    ) { known, context in
      XCTAssertEqual(try context.object(known.ada).reports.map(\.id), [known.cy])
      XCTAssertEqual(try context.object(known.ada).items.map(\.id), [known.desk])
      XCTAssertNil(try context.object(known.bob).boss)
    }
  }

  func testObjectsRestoredTogetherReferToEachOther() async throws {
    try await forAll(
      people, { family($0) },
      mine: { known, context in
        try context.object(known.ada).name = "Ada L."
        try context.object(known.bob).name = "Bob B."
        try context.object(known.chair).name = "armchair"
      },
      theirs: [
        { known, context in context.delete(try context.object(known.ada)) },
        { known, context in context.delete(try context.object(known.bob)) },
      ]
    ) { known, context in
      XCTAssertEqual(try context.object(known.ada).reports.map(\.name), ["Bob B.", "Cy"])
      XCTAssertEqual(try context.object(known.ada).items.map(\.name), ["armchair", "desk"])
    }
  }

  func testAPartComesBackWithoutADeletedOwner() async throws {
    try await forAll(
      people, { family($0) },
      mine: { known, context in
        try context.object(known.chair).name = "armchair"
      }, theirs: [{ known, context in context.delete(try context.object(known.ada)) }]
    ) { known, context in
      XCTAssertEqual(try context.object(known.chair).name, "armchair")
      XCTAssertNil(try context.object(known.chair).owner)
      XCTAssertNil(context.find(known.ada))
      XCTAssertNil(context.find(known.desk))
    }
  }

  // MARK: Pairs

  private struct Line {
    let route: Route.ID
    let stops: [Stop.ID]
  }

  func testPairsComeBackInTheirOrder() async throws {
    try await forAll(
      Schema(Route.self, Stop.self),
      { context in
        let (route, other) = (context.insert(Route("one")), context.insert(Route("two")))
        let stops = "abcd".map { context.insert(Stop(String($0))) }
        other.stops = OrderedToMany(stops)
        route.stops = OrderedToMany([stops[3], stops[0], stops[2], stops[1]])
        return Line(route: route.id, stops: stops.map(\.id))
      },
      mine: { known, context in
        let route = try context.object(known.route)
        route.name = "first"
        route.stops.remove(try context.object(known.stops[1]))
      },
      theirs: [
        { known, context in context.delete(try context.object(known.route)) },
        { known, context in context.delete(try context.object(known.stops[2])) },
      ]
    ) { known, context in
      let route = try context.object(known.route)
      XCTAssertEqual(route.stops.map(\.name), ["d", "a"])
      XCTAssertEqual(try context.object(known.stops[0]).routes.map(\.name), ["two", "first"])
      XCTAssertEqual(try context.object(known.stops[1]).routes.map(\.name), ["two"])
      XCTAssertEqual(context.readErrors.count, 0)
    }
  }

  // MARK: One-to-ones

  private struct Found {
    let red: Bicycle.ID
    let green: Bicycle.ID
    let lock: Lock.ID
    let free: Lock.ID
    let key: Key.ID
  }

  private func found(_ context: RootContext) -> Found {
    let (red, green) = (context.insert(Bicycle(name: "red")), context.insert(Bicycle(name: "green")))
    let (lock, free) = (context.insert(Lock(code: 1)), context.insert(Lock(code: 2)))
    red.lock = lock
    red.shed = context.insert(Shed())
    green.shed = red.shed
    let key = context.insert(Key())
    key.lock = lock
    return Found(red: red.id, green: green.id, lock: lock.id, free: free.id, key: key.id)
  }

  private let bicycles = Schema(Bicycle.self, Lock.self, Key.self, Shed.self)

  func testAOneToOneIsFilledAgainUnlessTaken() async throws {
    for isTaken in [false, true] {
      try await forAll(
        bicycles, { found($0) },
        mine: { known, context in
          try context.object(known.lock).code = 3
        },
        theirs: [
          { known, context in context.delete(try context.object(known.lock)) },
          { known, context in
            if isTaken { try context.object(known.red).lock = context.object(known.free) }
            try context.object(known.green).name = "blue"
          },
        ]
      ) { known, context in
        XCTAssertEqual(try context.object(known.red).lock?.id, isTaken ? known.free : known.lock)
        XCTAssertEqual(try context.object(known.lock).bicycle?.id, isTaken ? nil : known.red)
        XCTAssertEqual(try context.object(known.lock).keys.map(\.id), [known.key])
      }
    }
  }

  func testAOneToOneMovedHereStaysMoved() async throws {
    try await forAll(
      bicycles, { found($0) },
      mine: { known, context in
        try context.object(known.lock).code = 3
        try context.object(known.green).lock = context.object(known.lock)
      }, theirs: [{ known, context in context.delete(try context.object(known.lock)) }]
    ) { known, context in
      XCTAssertEqual(try context.object(known.green).lock?.id, known.lock)
      XCTAssertNil(try context.object(known.red).lock)
      XCTAssertEqual(try context.object(known.lock).bicycle?.id, known.green)
    }
  }

  func testPartsComeBackWithTheirMembers() async throws {
    try await forAll(
      bicycles, { found($0) },
      mine: { known, context in
        try context.object(known.red).name = "mine"
      },
      theirs: [
        { known, context in context.delete(try XCTUnwrap(context.object(known.red).shed)) }
      ]
    ) { known, context in
      XCTAssertEqual(try context.object(known.red).lock?.id, known.lock)
      XCTAssertEqual(try context.object(known.lock).keys.map(\.id), [known.key])
      XCTAssertNil(try context.object(known.red).shed)
      XCTAssertNil(context.find(known.green))
    }
  }

  // MARK: Reversals and retention

  func testARevertRestoresMembers() async throws {
    let test = try TestStore()
    let context = RootContext(test.store, author: "Ada", followsHead: false)
    let known = family(context)
    try await context.save()
    try context.object(known.ada).name = "Ada L."
    let position = try await context.save()
    try await test.store.write { $0.delete(try $0.object(known.ada)) }
    try context.refresh()
    XCTAssertTrue(try context.revert(transactionAt: position, merging: .mine))
    XCTAssertEqual(try context.object(known.ada).reports.count, 2)
    try await context.save()
    let ada = try RootContext(test.store).object(known.ada)
    XCTAssertEqual(ada.name, "Ada")
    XCTAssertEqual(ada.reports.map(\.id), [known.bob, known.cy])
    XCTAssertEqual(ada.items.map(\.id), [known.chair, known.desk])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
  }

  func testAnOwnerIsNotSavedWhereItsMembersAreGone() async throws {
    for policy in Self.policies {
      let test = try TestStore()
      let context = RootContext(test.store, followsHead: false)
      let known = family(context)
      try await context.save()
      let ada = try context.object(known.ada)
      ada.name = "Ada L."
      try await test.store.write { $0.delete(try $0.object(known.ada)) }
      try await test.store.write { _ = $0.insert(Item(name: "other")) }
      try context.refresh()
      try await test.store.log.retain(.last(1))
      do {
        try await context.save(merging: policy)
        XCTFail("saved")
      } catch SaveError.refused(let refusal) {
        XCTAssertEqual(refusal.conflicts.map(\.kind), [.unrestorable])
      }
      XCTAssertEqual(ada.name, "Ada L.")
      XCTAssertNil(RootContext(test.store).find(known.ada))
    }
  }
}
