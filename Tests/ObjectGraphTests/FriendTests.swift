import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// A relationship that is its own inverse: whoever is a friend of somebody has that one for a friend.
@MainActor
final class FriendTests: XCTestCase {
  private var test: TestStore!
  private var context: RootContext!

  override func setUp() async throws {
    test = try TestStore(Schema(Student.self, Course.self, Diary.self))
    context = RootContext(test.store)
  }

  private func students(_ names: String...) -> [Student] { names.map { context.insert(Student($0)) } }

  private func names(_ student: Student) -> [String] { student.friends.map(\.name).sorted() }

  private func assertSound(line: UInt = #line) async throws {
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [], line: line)
  }

  func testAFriendshipIsSeenFromBothSides() async throws {
    let (ada, ben, cy) = (Student("ada"), Student("ben"), Student("cy"))
    ada.friends.insert(ben)
    XCTAssertEqual(names(ben), ["ada"], "detached")
    context.insert(ada)
    XCTAssertEqual(names(ben), ["ada"])
    cy.friends.insert(ben)
    XCTAssertEqual([names(ada), names(ben), names(cy)], [["ben"], ["ada", "cy"], ["ben"]])
    try await context.save("Meet")
    try await test.store.close()
    try test.open()
    let later = RootContext(test.store)
    let again = try later.object(ben.id)
    XCTAssertEqual(names(again), ["ada", "cy"])
    XCTAssertEqual(again.friends.count, 2)
    XCTAssertTrue(try again.friends.contains(later.object(ada.id)))
    XCTAssertEqual(
      try later.fetch(Fetch<Student> { $0.friends.contains(ben.id) }).map(\.name).sorted(), ["ada", "cy"])
    XCTAssertEqual(try later.fetch(Fetch<Student> { $0.friends.count == 2 }).map(\.name), ["ben"])
    try await assertSound()
  }

  func testAFriendshipEndsForBothAndUndoBringsItBackForBoth() async throws {
    let all = students("ada", "ben")
    let (ada, ben) = (all[0], all[1])
    ada.friends.insert(ben)
    try await context.save("Meet")
    ben.friends.remove(ada)
    XCTAssertEqual([names(ada), names(ben)], [[], []])
    context.undo()
    XCTAssertEqual([names(ada), names(ben)], [["ben"], ["ada"]])
    context.redo()
    try await context.save("Part")
    XCTAssertEqual([names(ada), names(ben)], [[], []])
    try await assertSound()
  }

  func testSomebodyMayBeTheirOwnFriend() async throws {
    let ada = students("ada")[0]
    ada.friends.insert(ada)
    XCTAssertEqual(names(ada), ["ada"])
    try await context.save("Alone")
    ada.friends.remove(ada)
    try await context.save("Not")
    XCTAssertEqual(names(ada), [])
    try await assertSound()
  }

  func testWhoIsDeletedIsNobodysFriend() async throws {
    let all = students("ada", "ben", "cy")
    all[0].friends = [all[1], all[2]]
    all[1].friends.insert(all[2])
    try await context.save("Meet")
    context.delete(all[0])
    XCTAssertEqual([names(all[1]), names(all[2])], [["cy"], ["ben"]])
    try await context.save("Leave")
    XCTAssertEqual([names(all[1]), names(all[2])], [["cy"], ["ben"]])
    try await assertSound()
  }

  func testOneWhoIsDeletedMeanwhileIsAConflictThatBothDirectionsFollow() async throws {
    let all = students("ada", "ben")
    try await context.save("Add")
    for isDropped in [true, false] {
      let mine = RootContext(test.store)
      try mine.object(all[0].id).friends.insert(mine.object(all[1].id))
      let others = RootContext(test.store)
      let guest = others.insert(Student("guest"))
      try await others.save("Guest")
      try mine.refresh()
      try mine.object(all[0].id).friends.insert(mine.object(guest.id))
      others.delete(guest)
      try await others.save("Gone")
      do {
        try await mine.save("Meet")
        XCTFail("saved a friendship with nobody")
      } catch SaveError.refused(let refusal) {
        XCTAssertEqual(refusal.conflicts.count, 2)
        if isDropped {
          for conflict in refusal.conflicts { try mine.resolve(conflict, with: conflict.theirs) }
          try await mine.save("Meet")
        } else {
          try mine.resolve(refusal.conflicts[0], with: refusal.conflicts[0].theirs)
          try await mine.save("Meet")
        }
      }
      XCTAssertEqual(try RootContext(test.store).object(all[1].id).friends.map(\.name), ["ada"])
      try await assertSound()
    }
  }

  func testHistoryNamesTheFriendsAndNothingElse() async throws {
    let all = students("ada", "ben")
    try await context.save("Add")
    all[0].friends.insert(all[1])
    try await context.save("Meet")
    let last = try XCTUnwrap(test.store.log.transaction(at: test.store.log.head))
    for (one, other) in [(0, 1), (1, 0)] {
      let changes = last.changes.filter { $0.object == all[one].id.any }.flatMap(\.properties)
      XCTAssertEqual(changes.map(\.property), ["friends"])
      guard case .members(let added, let removed)? = changes.first?.form else { return XCTFail("no members") }
      XCTAssertEqual(added, [all[other].id.any])
      XCTAssertEqual(removed, [])
    }
    XCTAssertFalse(Student.entity.relationships.contains { $0.name != "friends" && $0.name.contains("friends") })
    XCTAssertEqual(test.store.warnings, [])
  }

  // MARK: Against a set of pairs

  private struct Plain: Hashable {
    var students: Set<AnyObjectID> = []
    /// Each with both directions.
    var pairs: Set<[AnyObjectID]> = []

    mutating func add(_ one: AnyObjectID, _ other: AnyObjectID) { pairs.formUnion([[one, other], [other, one]]) }
    mutating func remove(_ one: AnyObjectID, _ other: AnyObjectID) { pairs.subtract([[one, other], [other, one]]) }
    mutating func delete(_ one: AnyObjectID) {
      students.remove(one)
      pairs = pairs.filter { !$0.contains(one) }
    }
  }

  private func shown(_ context: ObjectContext) throws -> Plain {
    var plain = Plain()
    for student in try context.fetch(Fetch<Student>()) {
      plain.students.insert(student.id.any)
      for friend in student.friends {
        plain.pairs.insert([student.id.any, friend.id.any])
        XCTAssertTrue(friend.friends.contains(student))
      }
      XCTAssertEqual(student.friends.count, student.friends.map { $0 }.count)
    }
    return plain
  }

  private func edit(_ context: EditingContext, _ plain: inout Plain, _ random: inout SeededGenerator) throws {
    let students = try context.fetch(Fetch<Student>())
    guard let one = students.randomElement(using: &random), let other = students.randomElement(using: &random),
      Int.random(in: 0..<6, using: &random) > 0
    else {
      plain.students.insert(context.insert(Student("s")).id.any)
      return
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      plain.delete(one.id.any)
      context.delete(one)
    case 1:
      let some = students.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      one.friends = ToMany(some)
      for pair in plain.pairs where pair[0] == one.id.any { plain.remove(pair[0], pair[1]) }
      for friend in some { plain.add(one.id.any, friend.id.any) }
    case 2...6:
      one.friends.insert(other)
      plain.add(one.id.any, other.id.any)
    default:
      one.friends.remove(other)
      plain.remove(one.id.any, other.id.any)
    }
  }

  func testRandomFriendsAreThoseOfASetOfPairs() async throws {
    continueAfterFailure = false
    for seed in testSeeds(10) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Student.self, Course.self, Diary.self))
      let (one, two) = (RootContext(test.store), RootContext(test.store))
      var head = Plain()
      for _ in 0..<60 {
        let context = Bool.random(using: &random) ? one : two
        try context.refresh()
        var now = head
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          if Int.random(in: 0..<4, using: &random) == 0 {
            let child = context.makeChild()
            var tried = now
            for _ in 0..<3 { try edit(child, &tried, &random) }
            XCTAssertEqual(try shown(child), tried, "\(seed)")
            if Bool.random(using: &random) {
              try child.save()
              now = tried
            }
          } else {
            try edit(context, &now, &random)
          }
          XCTAssertEqual(try shown(context), now, "\(seed)")
        }
        if Bool.random(using: &random) {
          try await context.save()
          head = now
        } else {
          context.discard()
        }
        XCTAssertEqual(try shown(RootContext(test.store)), head, "\(seed)")
      }
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems, [], "\(seed)")
      try await test.store.close()
    }
  }
}
