import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class ListShowingTests: ListsTestCase {
  private func updates(_ recorder: Recorder) -> [[String]] {
    recorder.batches.flatMap { $0.changes?.updatedRows.map(\.properties) ?? [["reset"]] }
  }

  func testRowsHearOfTheMembersThatTheyCount() async throws {
    let ada = context.insert(Person(name: "Ada"))
    let eve = context.insert(Person(name: "Eve"))
    try await context.save()
    let byName = Fetch<Person>().sorted { $0.name }
    let silent = Recorder(try FetchedList(byName, in: context))
    let list = try FetchedList(byName, in: context, showing: \.items.count)
    let recorder = Recorder(list)
    let chair = Item(name: "chair")
    context.group(nil) { context.insert(chair).owner = ada }
    XCTAssertEqual(updates(recorder), [["items"]])
    chair.owner = eve
    XCTAssertEqual(updates(recorder), [["items"], ["items"], ["items"]], "one row loses it, the other gains it")
    XCTAssertEqual(recorder.batches.count, 2)
    chair.name = "red chair"
    XCTAssertEqual(recorder.batches.count, 2, "the rows do not show names")
    try await context.save()
    XCTAssertEqual(recorder.batches.count, 2, "all of it is on screen")
    let other = RootContext(test.store)
    try other.delete(other.object(chair.id))
    try await other.save()
    XCTAssertEqual(recorder.batches.count, 2)
    try context.refresh()
    XCTAssertEqual(updates(recorder).count, 4)
    XCTAssertEqual(silent.batches.count, 0)
  }

  func testRowsHearOfWhatLiesBehindTheirRelationships() async throws {
    let boss = context.insert(Person(name: "Bo"))
    let ada = context.insert(Person(name: "Ada"))
    ada.boss = boss
    context.insert(Item(name: "chair")).owner = ada
    context.insert(Item(name: "lamp"))
    try await context.save()
    for fetch in [Fetch<Item>().sorted { $0.name }, Fetch<Item>().sorted { [$0.name, $0.weight] }] {
      let list = try FetchedList(fetch, in: context, showing: { [$0.owner.boss.name, $0.owner.items.count] })
      let recorder = Recorder(list)
      boss.name = "Bob"
      XCTAssertEqual(updates(recorder), [["owner"]])
      let lamp = list.element(at: RowPath(item: 1))
      lamp.owner = ada
      XCTAssertEqual(recorder.batches.last?.changes?.updatedRows.map(\.after.item), [0, 1])
      ada.zip += 1
      XCTAssertEqual(recorder.batches.count, 2, "nothing that the rows show")
      try list.setFetch(fetch.filter { $0.valueInDollars == 0 })
      boss.name = "Bo"
      XCTAssertEqual(recorder.batches.last?.changes?.updatedRows.count, 2, "it holds for other fetches too")
      lamp.owner = nil
    }
  }

  func testAFieldThatIsNotThereIsRefused() {
    XCTAssertThrowsError(
      try FetchedList(Fetch<Item>(), in: context, showing: { _ in Field<Item, Int>(FieldPath.root.appending("none")) })
    ) { XCTAssertTrue($0 is FetchError) }
  }
}
