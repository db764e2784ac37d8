import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// What the log says of a query.
final class FetchHistoryTests: XCTestCase {
  private var opened: TestStore!

  private func made() throws -> RootContext {
    opened = try TestStore()
    return RootContext(opened.store, author: "Ada")
  }

  func testAnObjectIsAddedAndRemovedWhereItsValuesMakeItSoAndUpdatedInBetween() async throws {
    let context = try made()
    let item = context.insert(Item(name: "Chair", valueInDollars: 10))
    let other = context.insert(Item(name: "Stool", valueInDollars: 1))
    let made = try await context.save()
    item.valueInDollars = 60
    let risen = try await context.save("Dearer")
    other.name = "Stool with three legs"
    try await context.save()
    item.name = "Red chair"
    let renamed = try await context.save()
    context.delete(item)
    let deleted = try await context.save()
    item.name = "not saved"

    let dear = try context.history(of: Fetch<Item> { $0.valueInDollars > 50 })
    XCTAssertEqual(dear.map(\.transaction.position), [deleted, renamed, risen])
    XCTAssertEqual(dear.map(\.removed), [[item.id], [], []])
    XCTAssertEqual(dear.map(\.updated), [[], [item.id], []])
    XCTAssertEqual(dear.map(\.added), [[], [], [item.id]])
    XCTAssertEqual(dear.map(\.transaction.author), ["Ada", "Ada", "Ada"])
    XCTAssertEqual(dear.last?.transaction.name, "Dearer")
    let change = try XCTUnwrap(dear.last?.transaction.changes.first)
    XCTAssertEqual(dear.last?.transaction.changes.count, 1)
    XCTAssertEqual(change["valueInDollars"], .value(from: .int(10), to: .int(60)))
    let all = try context.history(of: Fetch<Item>())
    XCTAssertEqual(all.last?.transaction.position, made)
    XCTAssertEqual(all.last?.added, [item.id, other.id])
  }

  func testAConditionThroughARelationshipIsTrueOfItsTimeWhoeverElseChanged() async throws {
    let context = try made()
    let (ada, bob) = (context.insert(Person(name: "Ada", zip: 1)), context.insert(Person(name: "Bob", zip: 2)))
    let item = context.insert(Item(name: "Chair"))
    item.owner = ada
    let first = try await context.save()
    ada.zip = 2
    let moved = try await context.save()
    item.owner = bob
    let given = try await context.save()
    // It is not hers any more.
    ada.zip = 1
    try await context.save()
    bob.zip = 3
    let left = try await context.save()

    let two = try context.history(of: Fetch<Item> { $0.owner.zip == 2 })
    XCTAssertEqual(two.map(\.transaction.position), [left, given, moved])
    XCTAssertEqual(two.map(\.removed), [[item.id], [], []])
    XCTAssertEqual(two.map(\.updated), [[], [item.id], []])
    XCTAssertEqual(two.map(\.added), [[], [], [item.id]])
    XCTAssertEqual(two.map { $0.transaction.changes.count }, [0, 1, 0], "the item did not change itself")
    let owners = try context.history(of: Fetch<Person> { $0.items.count > 0 })
    XCTAssertEqual(owners.map(\.transaction.position), [left, given, moved, first])
    XCTAssertEqual(owners[1].added, [bob.id])
    XCTAssertEqual(owners[1].removed, [ada.id])
  }

  func testAPageOfAQuerysHistoryGoesOnWhereTheLastEnded() async throws {
    let context = try made()
    let item = context.insert(Item(name: "0", valueInDollars: 0))
    try await context.save()
    for number in 1...600 {
      item.name = "\(number)"
      try await context.save()
    }
    let fetch = Fetch<Item> { $0.name.hasSuffix("00") || $0.name == "0" }
    let all = try context.history(of: fetch)
    XCTAssertEqual(all.map(\.transaction.position), [602, 503, 502, 403, 402, 303, 302, 203, 202, 103, 102, 3, 2])
    var pages = try context.history(of: fetch, limit: 4)
    while let last = pages.last {
      let page = try context.history(of: fetch, before: last.transaction.token, limit: 4)
      if page.isEmpty { break }
      pages += page
    }
    XCTAssertEqual(pages, all)
    XCTAssertEqual(try context.history(of: fetch, before: opened.store.log.token(at: 0)), [])
    let some = try context.history(of: fetch, after: 302, upTo: 402)
    XCTAssertEqual(some.map(\.transaction.position), [402, 303])
    XCTAssertEqual(try context.history(of: fetch, limit: 0), [])
    let past = try opened.store.context(at: 102)
    XCTAssertEqual(try past.history(of: fetch).map(\.transaction.position), [102, 3, 2])
  }

  func testAHistoryEndsWhereTheLogBegins() async throws {
    let context = try made()
    let item = context.insert(Item(name: "0", valueInDollars: 0))
    try await context.save()
    for number in 1...20 {
      item.valueInDollars = number
      try await context.save()
    }
    let fetch = Fetch<Item> { $0.valueInDollars > 5 }
    XCTAssertEqual(try context.history(of: fetch).count, 15)
    try await opened.store.log.retain(.from(11))
    let rest = try context.history(of: fetch)
    XCTAssertEqual(rest.map(\.transaction.position), (11...22).reversed())
    XCTAssertTrue(rest.allSatisfy { $0.updated == [item.id] && $0.added.isEmpty })
    XCTAssertThrowsError(try context.history(of: fetch, upTo: 5)) { error in
      guard case StoreError.truncated? = error as? StoreError else { return XCTFail("\(error)") }
    }
  }

  func testAFetchWithALimitIsRefused() async throws {
    let context = try made()
    for fetch in [Fetch<Item>().limit(3), Fetch<Item>().limit(.max, offset: 1)] {
      XCTAssertThrowsError(try context.history(of: fetch)) { XCTAssertEqual($0 as? FetchError, .limitedHistory) }
    }
  }

  func testALongTextInAQuerysHistoryIsWhole() async throws {
    let context = try made()
    let text = String(repeating: "long ", count: 3_000)
    let item = context.insert(Item(name: text + "a"))
    try await context.save()
    item.name = text + "b"
    try await context.save()
    let last = try XCTUnwrap(context.history(of: Fetch<Item>(), limit: 1).first)
    XCTAssertEqual(last.updated, [item.id])
    XCTAssertEqual(
      last.transaction.changes.first?["name"], .value(from: .string(text + "a"), to: .string(text + "b")))
  }

  /// Each looked for from the beginning of its transaction, that would be minutes.
  func testLargeTransactionsAreReadOnceEach() async throws {
    let context = try made()
    let items = (0..<5_000).map { context.insert(Item(name: "\($0)", valueInDollars: 0)) }
    try await context.save()
    for number in 1...6 {
      for item in items { item.valueInDollars = number }
      try await context.save()
    }
    let history = try context.history(of: Fetch<Item> { $0.valueInDollars > 3 })
    XCTAssertEqual(history.map(\.added.count), [0, 0, 5_000])
    XCTAssertEqual(history.map(\.updated.count), [5_000, 5_000, 0])
  }

  func testWhatIsDroppedMeanwhileDoesNotGoBeforeAHistoryWasRead() async throws {
    let context = try made()
    let item = context.insert(Item(name: "0", valueInDollars: 0))
    for number in 1...600 {
      item.valueInDollars = number
      try await context.save()
    }
    let store = opened.store
    let dropping = Task.detached {
      for floor in stride(from: Position(20), to: 600, by: 20) {
        // A history that is being read holds it.
        while try await store.log.retain(.from(floor)).firstPosition < floor {
          try await Task.sleep(for: .milliseconds(1))
        }
      }
    }
    var counts: [Int] = []
    for _ in 0..<15 {
      try await Task.sleep(for: .milliseconds(60))
      let history = try context.history(of: Fetch<Item>())
      counts.append(history.count)
      let positions = history.map(\.transaction.position)
      XCTAssertEqual(positions, Array(positions.indices).map { Position(601) - $0 }, "none is left out")
    }
    try await dropping.value
    XCTAssertEqual(try context.history(of: Fetch<Item>()).count, 22)
    XCTAssertLessThan(counts.last ?? 600, 600, "something was dropped meanwhile")
    XCTAssertEqual(counts, counts.sorted(by: >))
  }

  func testAHistoryOfAClosedStoreSaysSo() async throws {
    let context = try made()
    context.insert(Item(name: "Chair"))
    try await context.save()
    try await opened.store.close()
    XCTAssertThrowsError(try context.history(of: Fetch<Item>())) { error in
      guard case StoreError.closed? = error as? StoreError else { return XCTFail("\(error)") }
    }
  }

  func testErasedValuesHideNoOlderChangeFromAHistoryWithALimit() async throws {
    let context = try made()
    let item = context.insert(Item(name: "a"))
    try await context.save()
    item.name = "secret"
    try await context.save()
    item.name = "c"
    let last = try await context.save()
    try await opened.store.close()
    _ = try await StoreMaintenance.erase([Erasure(of: item.id.any, ["name"])], in: opened.path)
    try opened.open()
    let again = RootContext(opened.store)
    let object = try again.object(item.id)
    object.name = "d"
    let after = try await again.save()
    XCTAssertEqual(try again.history(of: object, { $0.name }, limit: 5).first?.transaction.position, after)
    XCTAssertEqual(try again.history(of: Fetch<Item>()).map(\.transaction.position).prefix(2), [after, last])
  }

  // MARK: Relationships

  func testAToManysHistorySaysWhatCameAndWent() async throws {
    let context = try made()
    let ada = context.insert(Person(name: "Ada"))
    let (chair, stool) = (context.insert(Item(name: "Chair")), context.insert(Item(name: "Stool")))
    ada.items.insert(chair)
    try await context.save("Chair")
    ada.items.insert(stool)
    try await context.save("Stool")
    chair.name = "Red chair"
    try await context.save("Rename")
    ada.items.remove(chair)
    context.delete(stool)
    try await context.save("Away")

    let history = try context.history(of: ada) { $0.items }
    XCTAssertEqual(history.map { $0.transaction.name ?? "" }, ["Away", "Rename", "Stool", "Chair"])
    XCTAssertEqual(history.map(\.removed), [[chair.id, stool.id], [], [], []])
    XCTAssertEqual(history.map(\.updated), [[], [chair.id], [], []])
    XCTAssertEqual(history.map(\.added), [[], [], [stool.id], [chair.id]])
    XCTAssertThrowsError(try context.history(of: chair) { $0.owner.items }) { error in
      XCTAssertEqual(error as? FetchError, .notToMany(term: "owner.items", entity: "Item", property: "owner"))
    }
  }

  func testAManyToManysHistoryIsToldAtBothEndsAndOfThoseThatAreTheirOwnInverse() async throws {
    let opened = try TestStore(Schema(Student.self, Course.self, Diary.self))
    let context = RootContext(opened.store)
    let (ada, ben) = (context.insert(Student("ada")), context.insert(Student("ben")))
    let course = context.insert(Course("logic"))
    try await context.save()
    ada.courses.insert(course)
    ada.friends.insert(ben)
    let met = try await context.save()
    course.students.insert(ben)
    let joined = try await context.save()
    ben.friends.remove(ada)
    ada.courses.remove(course)
    let left = try await context.save()
    ada.courses.insert(course)
    context.delete(ben)
    let gone = try await context.save()

    let courses = try context.history(of: ada) { $0.courses }
    XCTAssertEqual(courses.map(\.transaction.position), [gone, left, met])
    XCTAssertEqual(courses.map(\.added), [[course.id], [], [course.id]])
    XCTAssertEqual(courses.map(\.removed), [[], [course.id], []])
    let change = try XCTUnwrap(courses.last?.transaction.changes.first)
    XCTAssertEqual(change["students"], .members(added: [ada.id.any], removed: []))
    let students = try context.history(of: course) { $0.students }
    XCTAssertEqual(students.map(\.transaction.position), [gone, left, joined, met])
    XCTAssertEqual(students.map(\.added), [[ada.id], [], [ben.id], [ada.id]])
    XCTAssertEqual(students.map(\.removed), [[ben.id], [ada.id], [], []])
    let friends = try context.history(of: ada) { $0.friends }
    XCTAssertEqual(friends.map(\.transaction.position), [left, met])
    XCTAssertEqual(friends.map(\.added), [[], [ben.id]])
    let formerFriends = try opened.store.context(at: joined).object(ben.id)
    XCTAssertEqual(try context.history(of: formerFriends) { $0.friends }.map(\.removed), [[ada.id], []])
  }

  func testTheEndOfAOneToOneThatStoresNothingHasAHistoryAsWell() async throws {
    let opened = try TestStore(Schema(Bicycle.self, Lock.self, Key.self, Shed.self))
    let context = RootContext(opened.store)
    let lock = context.insert(Lock(code: 1))
    let (red, blue) = (context.insert(Bicycle(name: "red")), context.insert(Bicycle(name: "blue")))
    lock.bicycle = red
    try await context.save()
    red.name = "dark red"
    try await context.save()
    lock.bicycle = blue
    try await context.save()
    lock.bicycle = nil
    try await context.save()
    func field(_: Lock.Fields) -> ToOneField<Lock, Bicycle> { ToOneField(FieldPath.root.appending("bicycle")) }
    let history = try context.history(of: lock, field)
    XCTAssertEqual(history.map(\.old), [blue.id, red.id, nil])
    XCTAssertEqual(history.map(\.new), [nil, blue.id, red.id])
    XCTAssertEqual(try context.history(of: lock, field, limit: 2), Array(history.prefix(2)))
    XCTAssertEqual(Set(try context.blame(for: lock).keys), ["code"])
  }
}
