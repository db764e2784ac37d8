import RepriseLMDB
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore

/// Derived attributes: stored as they are computed, and found so whatever is pending, merged or undone.
final class DerivedAttributeTests: XCTestCase {
  private func find(_ name: String, in context: ObjectContext) throws -> [Guest] {
    try context.fetch(Fetch<Guest> { $0.fullName == name })
  }

  func testItIsFoundBeforeAndAfterTheSave() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let guest = context.insert(Guest("Ada", "Byron"))
    XCTAssertEqual(try find("Ada Byron", in: context), [guest])
    try await context.save()
    XCTAssertEqual(try find("Ada Byron", in: context), [guest])
    XCTAssertTrue(try context.explain(Fetch<Guest> { $0.fullName == "Ada Byron" }).description.contains("fullName"))
    guest.last = "Lovelace"
    XCTAssertEqual(try find("Ada Byron", in: context), [])
    XCTAssertEqual(try find("Ada Lovelace", in: context), [guest])
    context.undo()
    XCTAssertEqual(try find("Ada Byron", in: context), [guest])
    context.redo()
    XCTAssertEqual(try find("Ada Lovelace", in: context), [guest])
    try await context.save()
    let other = RootContext(test.store, isolation: nil)
    XCTAssertEqual(try find("Ada Lovelace", in: other).count, 1)
    XCTAssertEqual(try find("Ada Byron", in: other), [])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.problems.isEmpty)
  }

  func testAValueTakenBackIsNoChange() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let guest = context.insert(Guest("Ada", "Byron"))
    try await context.save()
    let child = context.makeChild()
    try child.object(guest.id).last = "Lovelace"
    XCTAssertEqual(try find("Ada Lovelace", in: child).count, 1)
    XCTAssertEqual(try find("Ada Lovelace", in: context), [])
    try child.save()
    XCTAssertEqual(try find("Ada Lovelace", in: context), [guest])
    guest.last = "Byron"
    XCTAssertEqual(try find("Ada Byron", in: context), [guest])
    XCTAssertFalse(context.hasChanges)
  }

  func testWhatOthersChangeMeanwhileIsComputedFromBoth() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let first = RootContext(test.store, isolation: nil)
    let guest = first.insert(Guest("Ada", "Byron"))
    try await first.save()
    let second = RootContext(test.store, isolation: nil)
    let child = second.makeChild()
    let other = try child.object(guest.id)
    guest.first = "Augusta"
    other.last = "King"
    try await first.save()
    XCTAssertEqual(try find("Ada King", in: child), [other])
    try second.refresh()
    XCTAssertEqual(try find("Augusta King", in: child), [other])
    XCTAssertEqual(try find("Augusta Byron", in: second).count, 1)
    try child.save()
    XCTAssertEqual(try second.conflicts(), [])
    try await second.save()
    XCTAssertEqual(try find("Augusta King", in: RootContext(test.store, isolation: nil)).count, 1)
    XCTAssertEqual(try second.violations(of: Fetch<Guest>()), [])
  }

  func testItIsMergedInTheCommitWithoutAConflict() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let first = RootContext(test.store, isolation: nil)
    let guest = first.insert(Guest("Ada", "Byron"))
    try await first.save()
    let second = RootContext(test.store, isolation: nil)
    try second.object(guest.id).last = "King"
    guest.first = "Augusta"
    try await first.save()
    try await second.save()
    let third = RootContext(test.store, isolation: nil)
    XCTAssertEqual(try find("Augusta King", in: third).count, 1)
    XCTAssertEqual(try third.violations(of: Fetch<Guest>()), [])
    // Nor is a deletion in conflict with it.
    let fourth = RootContext(test.store, isolation: nil)
    fourth.delete(try fourth.object(guest.id))
    try await fourth.save()
  }

  func testItIsRightInADraftThatComesBackAfterAKill() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let id = context.insert(Guest("Ada", "Byron")).id
    try await context.save()
    let editor = try context.makeChild(draft: "editor")
    try editor.object(id).last = "King"
    editor.insert(Guest("Bob", "Ross"))
    try await test.store.flush(durable: false)
    try await test.kill()
    let after = RootContext(test.store, isolation: nil)
    let recovered = try after.makeChild(draft: "editor")
    XCTAssertEqual(try find("Ada King", in: recovered).count, 1)
    XCTAssertEqual(try find("Bob Ross", in: recovered).count, 1)
    XCTAssertEqual(try find("Ada Byron", in: after).count, 1)
    recovered.undo()
    recovered.undo()
    XCTAssertEqual(try find("Ada Byron", in: recovered).count, 1)
    XCTAssertEqual(try find("Bob Ross", in: recovered), [])
  }

  func testItIsUniqueIfItIsDeclaredSo() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    let ada = context.insert(Guest("Ada", "Byron"))
    try await context.save()
    let child = context.makeChild()
    let other = child.insert(Guest("Ada", "Byron"))
    XCTAssertEqual(try child.violations().map(\.rule), [.unique(heldBy: ada.id.any)])
    other.first = "Bob"
    XCTAssertEqual(try child.violations(), [])
    try child.save()
    try await context.save()
  }

  func testItCannotBeAssignedByAnUpdate() throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    context.insert(Guest("Ada", "Byron"))
    XCTAssertThrowsError(try context.update(Fetch<Guest>()) { $0.fullName.set(to: "x") }) { error in
      XCTAssertEqual(error as? FetchError, .derivedNotAssignable("fullName"))
    }
    XCTAssertEqual(try context.update(Fetch<Guest>()) { $0.last.set(to: "King") }, 1)
    XCTAssertEqual(try find("Ada King", in: context).count, 1)
    XCTAssertEqual(try Fetch<Guest>.holds("Ada Byron", for: Guest("Ada", "Byron")), true)
  }

  func testWhatWasStoredOtherwiseIsToldAndStoredAnew() async throws {
    let test = try TestStore(Schema(Guest.self, Hotel.self))
    let context = RootContext(test.store, isolation: nil)
    for number in 0..<25 { context.insert(Guest("Ada", "N\(number)")) }
    try await context.save()
    let old = try context.fetch(Fetch<Guest>()).prefix(20).map { $0.id.any }
    // As by a program whose computation was another one.
    let slot = 6
    for (number, id) in old.enumerated() {
      try test.store.overwriteAsAnotherProcess(id, slot, with: .string("old \(number)"))
    }
    let fresh = RootContext(test.store, isolation: nil)
    XCTAssertEqual(try find("Ada N3", in: fresh), [])
    let told = try fresh.violations(of: Fetch<Guest>())
    XCTAssertEqual(Set(told.map(\.object)), Set(old))
    XCTAssertEqual(told.first { $0.object == old[3] }?.rule, .derived(.string("Ada N3")))
    let progress = try await BackgroundContext(test.store).updateDerived(Fetch<Guest>(), batchSize: 8)
    XCTAssertEqual(progress.saved, 20)
    let again = try await BackgroundContext(test.store).updateDerived(Fetch<Guest>(), batchSize: 8)
    XCTAssertEqual(again.batches, 0)
    try fresh.refresh()
    XCTAssertEqual(try find("Ada N3", in: fresh).count, 1)
    XCTAssertEqual(try fresh.violations(of: Fetch<Guest>()), [])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems.count, 0)
  }

  /// Against names that the test computes itself, in contexts above each other and beside each other.
  func testWhateverHappensItIsFoundByWhatItIsNow() async throws {
    for seed in testSeeds(4) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Guest.self, Hotel.self))
      let roots = (0..<2).map { _ in RootContext(test.store, isolation: nil) }
      var contexts: [EditingContext] = roots
      for root in roots { contexts.append(root.makeChild()) }
      for _ in 0..<120 {
        let context = contexts.randomElement(using: &random)!
        let guests = try context.fetch(Fetch<Guest>())
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: context.insert(Guest("A", "n\(UInt32.random(in: 0..<1 << 30, using: &random))"))
        case 2, 3: guests.randomElement(using: &random)?.first = ["A", "B", "C"].randomElement(using: &random)!
        case 4: guests.randomElement(using: &random)?.arrival = Int.random(in: -9..<0, using: &random)
        case 5: if Bool.random(using: &random) { context.undo() } else { context.redo() }
        case 6: guests.randomElement(using: &random).map { context.delete($0) }
        case 7: try (context as? RootContext)?.refresh()
        default:
          if let child = context as? ChildContext {
            try child.save(merging: .mine)
          } else if let root = context as? RootContext {
            try await root.save(merging: .mine)
          }
        }
        for context in contexts {
          let guests = try context.fetch(Fetch<Guest>())
          let names = guests.map { "\($0.first) \($0.last)" }.sorted()
          let sorted = try context.fetch(Fetch<Guest>().sorted { $0.fullName }).map { "\($0.first) \($0.last)" }
          XCTAssertEqual(sorted, names, "seed \(seed)")
          for guest in guests.prefix(3) {
            XCTAssertEqual(try find(guest.fullName, in: context), [guest], "seed \(seed)")
          }
        }
      }
      for root in roots { try await root.save(merging: .mine) }
      let problems = try await StoreMaintenance.verify(test.store).problems
      XCTAssertEqual(problems.count, 0)
      XCTAssertEqual(try RootContext(test.store, isolation: nil).violations(of: Fetch<Guest>()), [])
    }
  }
}

extension Fetch where Model == Guest {
  fileprivate static func holds(_ name: String, for guest: Guest) throws -> Bool {
    try (Guest.Fields(.root).fullName == name).holds(for: guest)
  }
}

extension Store {
  /// Stores a value as a program would that computes it in another way.
  fileprivate func overwriteAsAnotherProcess(_ id: AnyObjectID, _ slot: Int, with value: PropertyValue) throws {
    try environment.write { transaction in
      var appender = try TransactionAppender(tables, logID: logID, map: map, transaction.view)
      let entity = try XCTUnwrap(map.map(id.name))
      let below = try XCTUnwrap(try HeadState(transaction.view, appender.map, tables).object(id.uuid, entity))
      let change = PropertyChange(slot: slot, old: below.values[slot], new: value)
      let plan = SavePlan([.init(map: entity, uuid: id.uuid, change: .updated([change]), below: below)])
      _ = try appender.append(plan, SaveRequest(base: log.head, changes: []), transaction)
      try appender.finish(transaction)
    }
  }
}
