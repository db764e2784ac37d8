import Foundation
import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class ListTokenTests: XCTestCase {
  private var test: TestStore!

  override func setUpWithError() throws { test = try TestStore() }
  override func tearDown() { test = nil }

  private let fetches = [
    Fetch<Item>().sorted { $0.name }.sectioned { $0.name.firstCharacter() },
    Fetch<Item> { $0.valueInDollars < 50 }.sorted { [$0.name, $0.weight] }.sectioned { $0.name.firstCharacter() },
    Fetch<Item>().sorted { [$0.owner.name, $0.name] }.limit(3, offset: 1),
    Fetch<Item>().sorted { $0.name }.sectioned { $0.valueInDollars.section }.limit(5, offset: 1),
  ]

  private func kept(_ token: ListToken<Item>) throws -> ListToken<Item> {
    try JSONDecoder().decode(ListToken<Item>.self, from: JSONEncoder().encode(token))
  }

  private func edit(_ context: RootContext) throws {
    let items = try context.fetch(Fetch<Item>().sorted { $0.name })
    context.delete(items[1])
    items[0].name = "zebra"
    items[2].valueInDollars += 30
    items[3].owner?.name = "Zoe"
    context.insert(Item(name: "new"))
  }

  private func fill() async throws {
    let context = RootContext(test.store)
    let owner = context.insert(Person(name: "Ada"))
    for name in ["ant", "ape", "bat", "bee", "cat", "cow"] {
      context.insert(Item(name: name, valueInDollars: 20)).owner = owner
    }
    try await context.save()
  }

  /// Checks that the batch since a token leads from what was shown to what is.
  private func check(
    _ batch: ListBatch, _ before: [[Item.ID]], _ list: FetchedList<Item>, line: UInt = #line
  ) throws {
    XCTAssertFalse(batch.isReset, line: line)
    XCTAssertEqual(batch.before.sections.map(\.rowCount), before.map(\.count), line: line)
    XCTAssertEqual(batch.after, list.snapshot, line: line)
    let now = try list.identifiers.sections.map(\.ids)
    var rows = before
    batch.apply(to: &rows) { now[$0.section][$0.item] }
    XCTAssertEqual(rows, now, line: line)
  }

  func testChangesSinceATokenAreToldAfterAnotherProcessesLife() async throws {
    try await fill()
    for fetch in fetches {
      for saves in [false, true] {
        let before: [[Item.ID]]
        let token: ListToken<Item>
        do {
          let context = RootContext(test.store)
          let list = try FetchedList(fetch, in: context)
          before = try list.identifiers.sections.map(\.ids)
          token = try kept(list.token)
        }
        // Nothing pins the token's position now.
        let writer = RootContext(test.store)
        try edit(writer)
        if saves { try await writer.save() }
        let list = try FetchedList(fetch, in: writer)
        try check(list.changes(since: token), before, list)
        XCTAssertEqual(try list.changes(since: list.token).changes, ListChanges())
      }
    }
  }

  func testATokenHasTheUncommittedChangesThatTheListShowed() async throws {
    try await fill()
    for fetch in fetches {
      let context = RootContext(test.store)
      let list = try FetchedList(fetch, in: context)
      try edit(context)
      let child = context.makeChild()
      try child.fetch(Fetch<Item>().sorted { $0.name })[1].name = "yak"
      let childList = try FetchedList(fetch, in: child)
      let before = try list.identifiers.sections.map(\.ids)
      let childBefore = try childList.identifiers.sections.map(\.ids)
      let token = try kept(list.token)
      let childToken = try kept(childList.token)
      XCTAssertEqual(try list.changes(since: token).changes, ListChanges())
      try await context.save()
      XCTAssertEqual(try list.changes(since: token).changes, ListChanges(), "what was shown is saved")
      try edit(context)
      try check(list.changes(since: token), before, list)
      try check(childList.changes(since: childToken), childBefore, childList)
      context.discard()
    }
  }

  func testUpdatesSinceATokenNameTheirProperties() async throws {
    try await fill()
    let context = RootContext(test.store)
    let list = try FetchedList(fetches[0], in: context)
    let token = try list.token
    for value in [21, 22, 23] {
      list.element(at: RowPath(item: 1)).valueInDollars = value
      try await context.save()
    }
    let path = RowPath(item: 1)
    let update = ListChanges.Update(before: path, after: path, properties: ["valueInDollars"])
    XCTAssertEqual(
      try list.changes(since: token).changes, ListChanges(updatedRows: [update]), "three saves, one change")
  }

  func testATokenThatTheLogDoesNotKnowIsAReset() async throws {
    try await fill()
    let context = RootContext(test.store)
    let list = try FetchedList(fetches[0], in: context)
    let token = try list.token
    let otherList = try FetchedList(fetches[1], in: context)
    XCTAssertTrue(try otherList.changes(since: token).isReset, "another fetch")
    let foreign = try TestStore()
    let foreignList = try FetchedList(fetches[0], in: RootContext(foreign.store))
    XCTAssertTrue(try foreignList.changes(since: token).isReset, "another store")
    var json = try XCTUnwrap(JSONSerialization.jsonObject(with: JSONEncoder().encode(token)) as? [String: Any])
    json["position"] = 99
    let ahead = try JSONDecoder().decode(ListToken<Item>.self, from: JSONSerialization.data(withJSONObject: json))
    XCTAssertTrue(try list.changes(since: ahead).isReset, "a position beyond the head")
    json["position"] = 1
    json["hash"] = 7
    let replaced = try JSONDecoder().decode(ListToken<Item>.self, from: JSONSerialization.data(withJSONObject: json))
    XCTAssertTrue(try list.changes(since: replaced).isReset, "another transaction")
    for number in 0..<1001 { context.insert(Item(name: "\(number)")) }
    let crowded = try list.token
    XCTAssertTrue(try list.changes(since: crowded).isReset, "more uncommitted changes than a token has")
    XCTAssertEqual(try list.changes(since: token).changes?.insertedRows.count, 1001)
  }

  /// Damages the transactions that have a text in their metadata.
  private func damage(_ text: String) throws {
    let path = test.path + "/data.mdb"
    var data = try Data(contentsOf: URL(fileURLWithPath: path))
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: path))
    while let place = data.range(of: Data(text.utf8)) {
      data[place.lowerBound] ^= 1
      try file.seek(toOffset: UInt64(place.lowerBound))
      try file.write(contentsOf: data[place.lowerBound...place.lowerBound])
    }
    try file.close()
  }

  /// The transaction of the token, or the next.
  func testALogThatCannotBeReadIsAnErrorAndNoReset() async throws {
    for damaged in ["transaction 1", "transaction 2"] {
      test = try TestStore()
      try await fill()
      let context = RootContext(test.store)
      let item = try XCTUnwrap(context.first(Fetch<Item>()))
      var token: ListToken<Item>?
      for number in 1...3 {
        item.name = "name \(number)"
        try await context.save(metadata: ["mark": "transaction \(number)"])
        if number == 1 { token = try FetchedList(fetches[0], in: context).token }
      }
      try await test.store.close()
      try damage(damaged)
      let store = try Store.openNow(test.path, for: Schema(Item.self, Person.self), StoreOptions())
      let list = try FetchedList(fetches[0], in: RootContext(store))
      XCTAssertEqual(list.count, 6)
      let kept = try XCTUnwrap(token)
      XCTAssertThrowsError(try list.changes(since: kept), damaged)
      XCTAssertEqual(try list.changes(since: list.token).changes, ListChanges(), damaged)
      try await store.close()
    }
  }

  func testAListThatNobodyObservedFollowsTheLog() async throws {
    try await fill()
    let context = RootContext(test.store)
    for fetch in fetches[1...] {
      let list = try FetchedList(fetch, in: context)
      _ = list.count
      for number in 0..<20 {
        try edit(context)
        if number % 2 == 0 { try await context.save() }
        if number % 3 == 0 {
          XCTAssertEqual(try list.identifiers, try FetchedList(fetch, in: context).identifiers, "\(number)")
        }
        if number % 5 == 4 { context.discard() }
        for name in ["x", "y"] { context.insert(Item(name: name, valueInDollars: 1)) }
      }
      context.discard()
      XCTAssertEqual(test.store.window.count, 0, "nothing keeps the past readable")
    }
  }
}
