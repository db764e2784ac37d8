import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

final class CollatedIndexTests: XCTestCase {
  private func filled() async throws -> (test: TestStore, context: RootContext) {
    let test = try TestStore(Schema(Track.self))
    let context = RootContext(test.store)
    for number in 0..<2000 {
      context.insert(Track(number % 2 == 0 ? "Track \(number)" : "träck \(number)", year: number % 9))
    }
    context.insert(Track(nil))
    try await context.save()
    return (test, context)
  }

  /// What an index covers, it serves without a look at the objects.
  func testAnIndexOfTheCollationServesWhatItCovers() async throws {
    let (_, context) = try await filled()
    let numbered = Track.numbered
    let sorted = Fetch<Track> { $0.title.collated(numbered) != nil }.sorted { $0.title.collated(numbered) }
    XCTAssertEqual(
      try context.fetch(sorted.limit(3, offset: 999)).map(\.title), ["träck 999", "Track 1000", "träck 1001"])
    for (fetch, visited) in [
      (sorted.limit(3, offset: 999), 3),
      (Fetch { $0.title.collated(numbered) == "TRACK 0077" }, 1),
      (Fetch { $0.title.equals("TRACK 77", [.ignoringCase, .ignoringDiacritics]) }, 1),
      (Fetch { $0.title.hasPrefix("TRACK 77", [.ignoringCase, .ignoringDiacritics]) }, 11),
      (Fetch { $0.title.collated(numbered) >= "track 1990" }, 10),
      (Fetch { $0.title.collated(numbered).isIn(["track 5", "TRACK 6", "none"]) }, 2),
      // No index has this order, but one that ignores more has few objects to look at.
      (Fetch { $0.title == "Track 78" }, 1),
    ] as [(Fetch<Track>, Int)] {
      let plan = try context.explain(fetch)
      XCTAssertEqual(plan.visits, visited, "\(plan)")
      XCTAssertEqual(try context.fetch(fetch).count, visited, "\(plan)")
    }
  }

  /// Behind a to-one, and by a member of a to-many; with what is saved and what is not.
  func testAnIndexOfTheCollationIsUsedThroughRelationships() async throws {
    let test = try TestStore(Schema(Todo.self, Folder.self))
    let context = RootContext(test.store)
    let folders = (0..<300).map { context.insert(Folder("Folder \($0)")) }
    let todos = (0..<600).map { context.insert(Todo("todo \($0)")) }
    for (number, todo) in todos.enumerated() { todo.folder = folders[number % 300] }
    try await context.save()
    for round in 0..<2 {
      let behind = Fetch<Todo> { $0.folder.name.collated(.ignoringCase) == "FOLDER 7" }
      XCTAssertEqual(
        try context.fetch(behind).map(\.title), round == 0 ? ["todo 7", "todo 307"] : ["todo 8", "todo 308"])
      XCTAssertLessThan(try context.explain(behind).visits, 10)
      let member = Fetch<Folder> { $0.todos.any { $0.folder.name.equals("folder 7", .ignoringCase) } }
      XCTAssertEqual(try context.fetch(member).map(\.id), [folders[7 + round].id])
      folders[7].name = "other"
      folders[8].name = "FOLDER 7"
    }
  }

  func testSectionsAndValuesOfAnIndexedCollation() async throws {
    let test = try TestStore(Schema(Track.self))
    let context = RootContext(test.store)
    for title in ["Ärger", "apfel", "7 up", "Öl", "ol", "12 b", nil, "OL"] { context.insert(Track(title)) }
    try await context.save()
    let numbered = Track.numbered
    for isIndexed in [true, false] {
      func field(_ fields: Track.Fields) -> Field<Track, String> {
        (isIndexed ? fields.title : fields.copy).collated(numbered)
      }
      let all = Fetch<Track>()
      XCTAssertEqual(try context.aggregate(all) { field($0).minimum }, "7 up")
      XCTAssertEqual(try context.aggregate(all) { field($0).maximum }, "Öl")
      XCTAssertEqual(try context.aggregate(all) { field($0).distinctCount }, 5)
      let groups = try context.fetch(all.grouped { field($0) }.sorted { field($0).ascending })
      XCTAssertEqual(groups.map(\.key), [nil, "7 up", "12 b", "apfel", "Ärger", "Öl"])
      XCTAssertEqual(groups.map(\.count), [1, 1, 1, 1, 1, 3])
    }
  }

  /// By a model that has the attribute and not the index, too.
  func testRowsAreKeptBuiltAndRebuilt() async throws {
    let test = try TestStore(Schema(PlainTrack.self))
    let first = RootContext(test.store)
    for number in 0..<300 { first.insert(PlainTrack("Träck \(number)")) }
    try await first.save()
    func relaunch(_ schema: Schema) async throws -> RootContext {
      try await test.store.close()
      test.schema = schema
      try test.open()
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems, [])
      return RootContext(test.store)
    }
    var context = try await relaunch(Schema(Track.self))
    let sorted = Fetch<Track>().sorted { $0.title.collated(Track.numbered) }
    XCTAssertEqual(try context.fetch(sorted.limit(2, offset: 9)).map(\.title), ["Träck 9", "Träck 10"])
    let second = try await relaunch(Schema(PlainTrack.self))
    for (number, track) in try second.fetch(Fetch<PlainTrack>()).enumerated() {
      if number % 3 == 0 { track.title = "TRÄCK 0\(number + 1000)" }
      if number % 3 == 1 { second.delete(track) }
    }
    try await second.save()
    context = try await relaunch(Schema(Track.self))
    XCTAssertEqual(try context.count(sorted), 200)
    XCTAssertEqual(try context.fetch(sorted.limit(2, offset: 99)).map(\.title), ["Träck 299", "TRÄCK 01000"])
    try await test.store.close()
    _ = try await StoreMaintenance.rebuild(test.path)
    try test.open()
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
    XCTAssertEqual(
      try RootContext(test.store).fetch(sorted.limit(2, offset: 99)).map(\.title), ["Träck 299", "TRÄCK 01000"])
  }
}
