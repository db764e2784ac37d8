import RepriseEventStore
import RepriseLists
import RepriseLocales
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

final class LocaleIndexTests: XCTestCase {
  private static let names = [
    "apa", "Apa", "Zebra", "Ål", "ärlig", "Öl", "öl", nil, "9 liv", "10 liv", "Élan", "oas",
  ]

  private func filled() async throws -> (test: LocaleStore, context: RootContext) {
    let test = try LocaleStore()
    let context = RootContext(test.store)
    for (number, name) in Self.names.enumerated() { context.insert(Place(name, zone: number % 2)) }
    try await context.save()
    return (test, context)
  }

  func testAnIndexOfALocaleServesOrdersPagesConditionsAndValues() async throws {
    let (test, context) = try await filled()
    defer { withExtendedLifetime(test) {} }
    for isIndexed in [true, false] {
      func name(_ fields: Place.Fields) -> Field<Place, String> { isIndexed ? fields.name : fields.copy }
      let sorted = Fetch<Place>().sorted { name($0).collated(Place.swedish) }
      XCTAssertEqual(
        try context.fetch(sorted).map(\.name),
        [nil, "10 liv", "9 liv", "apa", "Apa", "Élan", "oas", "Zebra", "Ål", "ärlig", "öl", "Öl"])
      XCTAssertEqual(try context.fetch(sorted.limit(2, offset: 6)).map(\.name), ["oas", "Zebra"])
      let loose = Fetch<Place>().sorted { name($0).collated(Place.loose).descending }
      XCTAssertEqual(
        try context.fetch(loose).map(\.name),
        ["öl", "Öl", "ärlig", "Ål", "Zebra", "oas", "Élan", "Apa", "apa", "10 liv", "9 liv", nil])
      let behind = Fetch<Place> { name($0).collated(Place.swedish) > "Z" }
      XCTAssertEqual(Set(try context.fetch(behind).map(\.name)), ["Zebra", "Ål", "ärlig", "Öl", "öl"])
      XCTAssertEqual(
        try context.fetch(Fetch<Place> { name($0).collated(Place.loose) == "ÖL" }).map(\.name), ["Öl", "öl"])
      XCTAssertEqual(try context.fetch(Fetch<Place> { name($0).collated(Place.swedish) == "Öl" }).map(\.name), ["Öl"])
      XCTAssertEqual(try context.count(Fetch<Place> { name($0).collated(Place.loose).isIn(["ÅL", "ZEBRA", "x"]) }), 2)
      XCTAssertEqual(try context.fetch(Fetch<Place> { name($0) == "Öl" }).map(\.name), ["Öl"])
      XCTAssertEqual(try context.fetch(Fetch<Place> { name($0).collated(Place.loose).hasPrefix("ÖL") }).count, 2)
      XCTAssertEqual(try context.aggregate(Fetch<Place>()) { name($0).collated(Place.swedish).maximum }, "Öl")
      XCTAssertEqual(try context.aggregate(Fetch<Place>()) { name($0).collated(Place.loose).distinctCount }, 9)
      let groups = try context.fetch(Fetch<Place>().grouped { name($0).collated(Place.loose) })
      XCTAssertEqual(groups.map(\.key), [nil, "9 liv", "10 liv", "apa", "Élan", "oas", "Zebra", "Ål", "ärlig", "Öl"])
      XCTAssertEqual(groups.map(\.count), [1, 1, 1, 2, 1, 1, 1, 1, 1, 2])
      let plan = try context.explain(sorted.limit(3))
      XCTAssertEqual(plan.access == .scan, !isIndexed, "\(plan)")
      XCTAssertEqual(plan.visits, isIndexed ? 3 : 12)
      XCTAssertEqual(try context.explain(behind).visits, isIndexed ? 5 : 12)
    }
  }

  func testAnIndexOfSeveralColumnsHasOneInTheOrderOfALocale() async throws {
    let (test, context) = try await filled()
    defer { withExtendedLifetime(test) {} }
    let odd = Fetch<Place> { $0.zone == 1 && $0.name.collated(Place.swedish) > "b" }
      .sorted { $0.name.collated(Place.swedish) }
    XCTAssertEqual(try context.fetch(odd).map(\.name), ["oas", "Ål", "Öl"])
    XCTAssertEqual(
      try context.explain(odd).access, .index(property: "[zone, name locale:sv]"))
    XCTAssertEqual(try context.explain(odd).visits, 3)
  }

  func testAUniqueTextIsWhatALocaleTakesForTheSame() async throws {
    let (test, context) = try await filled()
    defer { withExtendedLifetime(test) {} }
    let places = try context.fetch(Fetch<Place>())
    places[0].code = "Straße"
    places[1].code = "Ofen"
    places[2].code = "Öfen"
    try await context.save()
    places[3].code = "öfen"
    do {
      try await context.save()
      XCTFail("two with one code")
    } catch SaveError.refused(let refusal) {
      XCTAssertEqual(refusal.violations.map(\.object), [places[3].id.any])
    }
  }

  func testRowsAreKeptBuiltAndRebuiltByModelsWithoutTheIndexToo() async throws {
    for atOnce in [2_000, 0] { try await checkThatRowsAreKeptBuiltAndRebuilt(atOnce: atOnce) }
  }

  private func checkThatRowsAreKeptBuiltAndRebuilt(atOnce: Int) async throws {
    let test = try LocaleStore(Schema(PlainPlace.self), atOnce: atOnce)
    let first = RootContext(test.store)
    for name in Self.names { first.insert(PlainPlace(name)) }
    try await first.save()
    try await test.reopen()
    let sorted = Fetch<Place>().sorted { $0.name.collated(Place.swedish) }
    func check(_ names: [String?]) async throws {
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems, [])
      let context = RootContext(test.store)
      XCTAssertEqual(try context.fetch(sorted).map(\.name), names)
      XCTAssertEqual(try context.explain(sorted.limit(1)).visits, 1)
    }
    var names = [nil, "10 liv", "9 liv", "apa", "Apa", "Élan", "oas", "Zebra", "Ål", "ärlig", "öl", "Öl"]
    try await check(names)
    try await test.reopen(Schema(PlainPlace.self))
    let second = RootContext(test.store)
    for place in try second.fetch(Fetch<PlainPlace>()) {
      if place.name == "Zebra" { place.name = "åska" }
      if place.name == "Élan" { second.delete(place) }
    }
    try await second.save()
    names = [nil, "10 liv", "9 liv", "apa", "Apa", "oas", "Ål", "åska", "ärlig", "öl", "Öl"]
    try await test.reopen()
    try await check(names)
    try await test.store.close()
    _ = try await StoreMaintenance.rebuild(test.path)
    try await test.reopen()
    try await check(names)
    let copy = test.path + "-copy"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try await test.store.close()
    _ = try await StoreMaintenance.salvage(test.path, to: copy)
    let salvaged = try Store.openNow(copy, for: Schema(Place.self), StoreOptions())
    XCTAssertEqual(try RootContext(salvaged).fetch(sorted).map(\.name), names)
    let report = try await StoreMaintenance.verify(salvaged)
    XCTAssertEqual(report.problems, [])
    try await salvaged.close()
  }

  // MARK: Other versions of ICU

  func testIndexesOfAnotherICUAreSortedAnewAtOpening() async throws {
    for schema in [Schema(Place.self), Schema(PlainPlace.self)] {
      let (test, context) = try await filled()
      let versions = try test.store.recordedVersions()
      XCTAssertEqual(versions.count, 3)
      XCTAssertFalse(versions.values.contains(nil))
      try test.store.sortAsAnotherICU()
      _ = context
      try await test.reopen(schema)
      XCTAssertEqual(try test.store.recordedVersions(), versions)
      let report = try await StoreMaintenance.verify(test.store)
      XCTAssertEqual(report.problems, [])
      try await test.reopen()
      let sorted = Fetch<Place>().sorted { $0.name.collated(Place.swedish).descending }
      let names = try RootContext(test.store).fetch(sorted)
      XCTAssertEqual(names.map(\.name).prefix(3), ["Öl", "öl", "ärlig"])
    }
  }

  func testIndexesOfManyObjectsAreSortedAnewInSlicesWhileTheStoreIsOpen() async throws {
    let test = try LocaleStore(atOnce: 0)
    let filling = RootContext(test.store)
    for (number, name) in ["ö", "z", "a", "ä", "Ö", "b"].enumerated() {
      let place = filling.insert(Place(name, zone: number))
      place.code = "c\(number)"
    }
    try await filling.save()
    try await test.store.waitForIndexes()
    let versions = try test.store.recordedVersions()
    try test.store.sortAsAnotherICU(emptying: false)
    let head = test.store.log.head
    try await test.reopen()
    XCTAssertGreaterThan(test.store.log.head, head + 1, "each index is published by a transaction of its own")
    XCTAssertEqual(try test.store.recordedVersions(), versions)
    XCTAssertEqual(test.store.unfinishedIndexes, [])
    let sorted = Fetch<Place>().sorted { $0.name.collated(Place.swedish) }
    let context = RootContext(test.store)
    XCTAssertEqual(try context.fetch(sorted).compactMap(\.name).prefix(3), ["a", "b", "z"])
    XCTAssertNotEqual(try context.explain(sorted).access, .scan)
    let again = context.insert(Place("again"))
    again.code = "C3"
    do {
      try await context.save()
      XCTFail("the rule holds")
    } catch SaveError.refused {}
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  func testAProcessWhoseIndexesAnotherICUHasSortedNeitherReadsNorSaves() async throws {
    let (test, context) = try await filled()
    let sorted = Fetch<Place>().sorted { $0.name.collated(Place.swedish) }
    XCTAssertEqual(try context.fetch(sorted).count, 12)
    context.insert(Place("Ny"))
    try test.store.sortAsAnotherICU()
    XCTAssertThrowsError(try context.fetch(sorted)) { error in
      guard case FetchError.notReadable(let reason)? = error as? FetchError else { return XCTFail("\(error)") }
      XCTAssertTrue(reason.contains("another version of ICU"), reason)
    }
    do {
      try await context.save()
      XCTFail("saved beside rows in another order")
    } catch SaveError.store(.localeVersionMismatch(_, let locale)) {
      XCTAssertEqual(locale, "sv")
    }
    try await test.reopen()
    XCTAssertEqual(try RootContext(test.store).fetch(sorted).count, 12)
    let report = try await StoreMaintenance.verify(test.store)
    XCTAssertEqual(report.problems, [])
  }

  func testAProgramThatDoesNotKnowTheOrderOfAStoredIndexIsRefusedAndARebuildLeavesItToOneThatDoes() async throws {
    let (test, _) = try await filled()
    try test.store.nameUnknownLocale()
    do {
      try await test.reopen(Schema(PlainPlace.self))
      XCTFail("opened")
    } catch StoreError.schema(.unknownLocale("Place", _, "xx")) {}
    // It knows the objects and all other indexes.
    _ = try await StoreMaintenance.rebuild(test.path)
    do {
      try await test.reopen(Schema(PlainPlace.self))
      XCTFail("opened")
    } catch StoreError.schema(.unknownLocale("Place", _, "xx")) {}
  }

  // MARK: Bad input

  func testAModelWithAnUnknownLocaleIsRefusedByName() throws {
    XCTAssertThrowsError(try LocaleStore(Schema(Misplaced.self))) { error in
      guard case StoreError.schema(let error)? = error as? StoreError else { return XCTFail("\(error)") }
      XCTAssertEqual(error, .unknownLocale(entity: "Misplaced", index: "[name locale:xx]", locale: "xx"))
    }
  }

  func testAFetchWithAnUnknownLocaleIsRefusedByName() async throws {
    let (test, context) = try await filled()
    defer { withExtendedLifetime(test) {} }
    let unknown = Collation.locale("xx-wrong-locale")
    for fetch in [
      Fetch<Place>().sorted { $0.name.collated(unknown) }, Fetch { $0.name.collated(unknown) == "a" },
      Fetch { $0.name.collated(unknown).isIn(["a"]) }, Fetch { $0.name.collated(unknown).hasPrefix("a") },
      Fetch<Place>().sectioned { $0.name.collated(unknown).firstCharacter() },
    ] {
      XCTAssertThrowsError(try context.fetch(fetch)) { error in
        guard case FetchError.unknownLocale(_, let locale)? = error as? FetchError else { return XCTFail("\(error)") }
        XCTAssertTrue(locale.hasPrefix("xx"), locale)
      }
      let archived = try JSONDecoder().decode(Fetch<Place>.self, from: JSONEncoder().encode(fetch))
      XCTAssertThrowsError(try context.count(archived))
    }
    XCTAssertThrowsError(try context.fetch(Fetch<Place>().grouped { $0.name.collated(unknown) }))
    XCTAssertThrowsError(try context.aggregate(Fetch<Place>()) { $0.name.collated(unknown).minimum })
  }

  func testSectionsOfWholeTextsUnderALocaleAreRefusedBecauseTheyHaveNoNames() async throws {
    let (test, context) = try await filled()
    defer { withExtendedLifetime(test) {} }
    let byName = Fetch<Place>().sorted { $0.name.collated(Place.swedish) }
    for fetch in [
      byName.sectioned { $0.name.collated(Place.swedish).section },
      Fetch<Place>().sectioned { $0.name.collated(Place.swedish).section },
    ] {
      XCTAssertThrowsError(try FetchedList(fetch, in: context)) { error in
        guard case FetchError.unnamedSections? = error as? FetchError else { return XCTFail("\(error)") }
      }
    }
    let list = try FetchedList(byName.sectioned { $0.name.section }, in: context)
    XCTAssertEqual(list.snapshot.sections.map(\.name).suffix(2), ["öl", "Öl"], "what the error advises")
  }
}

private final class Misplaced: TestModel {
  static let entity = Entity(
    Misplaced.self, name: "Misplaced",
    properties: [.attribute("name", String.self), .index([IndexColumn("name", .locale("xx"))])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
