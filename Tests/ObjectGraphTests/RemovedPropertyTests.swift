import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class RemovedPropertyTests: XCTestCase {
  func testAModelWithoutAnIndexedPropertyKeepsItsIndexRight() async throws {
    let (older, newer) = (Schema(OldBicycle.self, OldShed.self), Schema(NewBicycle.self, NewShed.self))
    let test = try TestStore(newer)
    let sheds: [NewShed.ID]
    do {
      let context = RootContext(test.store)
      let all = ["a", "b", "c", "d"].enumerated().map { index, name in
        let bicycle = context.insert(NewBicycle(name: name))
        bicycle.gears = index * 2
        return bicycle
      }
      let (first, second) = (context.insert(NewShed()), context.insert(NewShed()))
      all[1].shed = first
      all[2].shed = first
      all[0].shed = second
      sheds = [first.id, second.id]
      try await context.save()
    }

    try await test.store.close()
    test.schema = older
    try test.open()
    do {
      let context = RootContext(test.store)
      for bicycle in try context.fetch(Fetch<OldBicycle>()) {
        if bicycle.name == "b" { context.delete(bicycle) }
        if bicycle.name == "c" { bicycle.name = "changed" }
      }
      context.insert(OldBicycle(name: "new"))
      try await context.save()
    }

    try await test.store.close()
    test.schema = newer
    try test.open()
    let context = RootContext(test.store)
    let names = try context.fetch(Fetch<NewBicycle>().sorted { $0.gears.ascending }).map(\.name)
    XCTAssertEqual(names, ["a", "new", "changed", "d"])
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertTrue(report.isSound, report.description)
    XCTAssertEqual(try sheds.map { try context.object($0).bicycles.map(\.name) }, [["changed"], ["a"]])
  }
}
