import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// A difference leads from what was to what was, and merges with what others did.
final class StoreDifferenceTests: XCTestCase {
  func testItTellsTheNetChangeOfEachObjectAndTheSameBackwards() async throws {
    let opened = try TestStore()
    let store = opened.store
    let context = RootContext(store, isolation: nil)
    let chair = context.insert(Item(name: "Chair", valueInDollars: 10))
    let table = context.insert(Item(name: "Table"))
    let start = try await context.save()
    chair.name = "Stool"
    context.insert(Item(name: "Lamp"))
    try await context.save()
    chair.name = "Bench"
    context.delete(table)
    let passing = context.insert(Item(name: "Passing"))
    try await context.save()
    context.delete(passing)
    let end = try await context.save()

    let forward = try store.log.difference(from: start, to: end)
    XCTAssertEqual(forward.changes.map(\.kind), [.updated, .deleted, .inserted])
    XCTAssertEqual(forward.changes[0].object, chair.id.any)
    XCTAssertEqual(forward.changes[0].properties.count, 1)
    XCTAssertEqual(forward.changes[0]["name"], .value(from: .string("Chair"), to: .string("Bench")))
    XCTAssertEqual(forward.changes[1]["name"], .value(from: .string("Table"), to: .null))
    let backward = try store.log.difference(from: end, to: start)
    XCTAssertEqual(backward.changes.map(\.kind), [.updated, .inserted, .deleted])
    XCTAssertEqual(backward.changes[0]["name"], .value(from: .string("Bench"), to: .string("Chair")))
    XCTAssertTrue(try store.log.difference(from: end, to: end).isEmpty)
    XCTAssertThrowsError(try store.log.difference(from: end + 1, to: start)) { error in
      guard case StoreError.otherLog(_, end + 1, end) = error else { return XCTFail("\(error)") }
    }
    let sent = try JSONEncoder().encode(forward)
    XCTAssertEqual(try JSONDecoder().decode(StoreDifference.self, from: sent), forward)
  }

  /// From anywhere to anywhere, and on from there, also told by another process.
  func testAppliedToWhereItLeadsFromItLeadsToWhereItLeads() async throws {
    for seed in testSeeds(4) {
      var random = SeededGenerator(seed: seed)
      let opened = try TestStore(windowBudget: [nil, 0].randomElement(using: &random) ?? nil)
      let editor = RootContext(opened.store, isolation: nil)
      var positions: [Position] = [opened.store.log.head]
      for _ in 0..<30 {
        try edit(editor, &random)
        positions.append(try await editor.save())
      }
      let context = RootContext(opened.store, followsHead: false, isolation: nil)
      var from = context.position
      for _ in 0..<12 {
        let to = positions.randomElement(using: &random) ?? 0
        let difference = try opened.store.log.difference(from: from, to: to)
        let told = try JSONDecoder().decode(StoreDifference.self, from: JSONEncoder().encode(difference))
        let isApplied = try context.apply(told)
        XCTAssertEqual(isApplied, !difference.isEmpty, "seed \(seed)")
        let past = try Moment(opened.store.context(at: to))
        XCTAssertEqual(try Moment(context), past, "from \(from) to \(to), seed \(seed)")
        from = to
      }
      try await context.save()
      XCTAssertEqual(try Moment(context), try Moment(opened.store.context(at: from)), "seed \(seed)")
      XCTAssertEqual(try StoreMaintenance.verifyNow(opened.store).problems, [])
    }
  }

  private func edit(_ context: RootContext, _ random: inout SeededGenerator) throws {
    let items = try context.fetch(Fetch<Item>())
    let people = try context.fetch(Fetch<Person>())
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let item = items.filter { $0.state == .live }.randomElement(using: &random)
      let person = people.filter { $0.state == .live }.randomElement(using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0, 1: context.insert(Item(name: "\(Int.random(in: 0..<9, using: &random))"))
      case 2: context.insert(Person(name: "\(Int.random(in: 0..<9, using: &random))"))
      case 3: if let item { context.delete(item) }
      case 4: if let person { context.delete(person) }
      case 5: item?.owner = person
      default: item?.name += "\(Int.random(in: 0..<9, using: &random))"
      }
    }
  }

  func testThePairsOfAManyToManyComeAndGoWithIt() async throws {
    let opened = try TestStore(Schema(Student.self, Course.self, Diary.self))
    let context = RootContext(opened.store, isolation: nil)
    let ada = context.insert(Student("Ada"))
    let logic = context.insert(Course("Logic"))
    let music = context.insert(Course("Music"))
    ada.courses.insert(logic)
    let start = try await context.save()
    ada.courses.remove(logic)
    ada.courses.insert(music)
    let end = try await context.save()
    let back = try opened.store.log.difference(from: end, to: start)
    let change = try XCTUnwrap(back.changes.first { $0.object == ada.id.any })
    XCTAssertEqual(change["courses"], .members(added: [logic.id.any], removed: [music.id.any]))
    XCTAssertTrue(try context.apply(back))
    XCTAssertEqual(ada.courses.map(\.id), [logic.id])
    try await context.save()
    XCTAssertEqual(try opened.store.context(at: opened.store.log.head).object(ada.id).courses.map(\.id), [logic.id])
    XCTAssertFalse(try context.apply(back))
  }

  func testARefusalTellsConflictsAndBrokenRulesTogether() async throws {
    let opened = try TestStore(Schema(Member.self, Team.self))
    let context = RootContext(opened.store, isolation: nil)
    let first = context.insert(Member("ada@x.org"))
    let other = context.insert(Member("bob@x.org"))
    let start = try await context.save()
    context.delete(first)
    other.visits = 1
    let end = try await context.save()
    let second = context.insert(Member("ada@x.org"))
    other.visits = 5
    let back = try opened.store.log.difference(from: end, to: start)
    XCTAssertThrowsError(try context.apply(back)) { error in
      guard case SaveError.refused(let refusal) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(refusal.operation, .difference)
      XCTAssertEqual(refusal.conflicts.map(\.attribute), ["visits"])
      XCTAssertEqual(refusal.violations.map(\.rule), [.unique(heldBy: second.id.any)])
    }
    XCTAssertEqual(other.visits, 5)
  }

  func testOtherWorkIsAConflictThatAPolicyDecides() async throws {
    let opened = try TestStore()
    let context = RootContext(opened.store, isolation: nil)
    let chair = context.insert(Item(name: "Chair", valueInDollars: 10))
    let start = try await context.save()
    chair.name = "Stool"
    chair.valueInDollars = 20
    let end = try await context.save()
    let back = try opened.store.log.difference(from: end, to: start)
    chair.name = "Bench"
    XCTAssertThrowsError(try context.apply(back)) { error in
      guard case SaveError.refused(let refusal) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(refusal.conflicts.map(\.attribute), ["name"])
      XCTAssertEqual(refusal.conflicts.map(\.theirs), [.string("Bench")])
      XCTAssertEqual(refusal.violations, [])
    }
    XCTAssertEqual(chair.valueInDollars, 20)
    XCTAssertTrue(try context.apply(back, named: "Go back", merging: .theirs))
    XCTAssertEqual(chair.name, "Bench")
    XCTAssertEqual(chair.valueInDollars, 10)
    XCTAssertEqual(context.undoName, "Go back")
    context.undo()
    XCTAssertEqual(chair.valueInDollars, 20)
  }

  func testModelsThatLackWhatItTellsOfRefuseIt() async throws {
    let whole = try TestStore()
    let context = RootContext(whole.store, isolation: nil)
    context.insert(Person(name: "Ada"))
    let end = try await context.save()
    let difference = try whole.store.log.difference(from: 0, to: end)
    let other = try TestStore(Schema(Student.self, Course.self, Diary.self))
    XCTAssertThrowsError(try RootContext(other.store, isolation: nil).apply(difference)) { error in
      guard case SaveError.unknown(entity: "Person", property: nil) = error else { return XCTFail("\(error)") }
    }
    let copy = try TestStore()
    let reader = RootContext(copy.store, isolation: nil)
    XCTAssertTrue(try reader.apply(difference))
    XCTAssertEqual(try reader.fetch(Fetch<Person>()).map(\.name), ["Ada"])
  }
}
