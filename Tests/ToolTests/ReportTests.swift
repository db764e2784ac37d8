import Foundation
import RepriseCore
import RepriseTestTool
import RepriseTool
import XCTest

/// A report shows something else than the store has.
@MainActor
final class ReportTests: XCTestCase {
  private var test: ToolStore!

  override func setUp() async throws { test = try await ToolStore() }

  override func tearDown() async throws { try await test.store.close() }

  private func check(
    _ expected: String, _ form: Output.Form = .text(Style()), file: StaticString = #filePath, line: UInt = #line,
    _ body: (Output) throws -> Void
  ) throws {
    let found = try test.lines(form, body).joined(separator: "\n")
    XCTAssertEqual(found, expected, file: file, line: line)
  }

  private func object(_ name: String) throws -> ObjectReport {
    let context = RootContext(test.store)
    return ObjectReport(try Places(test.store).object(test.id(name), in: context), in: context)
  }

  func testTheLogIsShown() async throws {
    var report = LogReport()
    let expected = """
      @4  2023-11-16 22:13:20  bob
      @3  2023-11-15 22:13:20  bob  "Marry"
      @2  2023-11-14 22:13:20  ada  "Check in"
      @1  2023-11-14 22:13:20  the schema
      """
    try check(expected) { try report.write(test.store, to: $0) }
    report.detail = .counts
    report.limit = 3
    report.last = 3
    try check(
      """
      @3  2023-11-15 22:13:20  bob  "Marry"  Guest ~1
      @2  2023-11-14 22:13:20  ada  "Check in"  Guest +2, Hotel +1
      @1  2023-11-14 22:13:20  the schema
      """
    ) { try report.write(test.store, to: $0) }
    report.first = 3
    try check("@3  2023-11-15 22:13:20  bob  \"Marry\"  Guest ~1") { try report.write(test.store, to: $0) }
  }

  func testAPatchHasOldAndNewValues() async throws {
    var report = LogReport()
    report.detail = .patch
    report.author = "bob"
    try check(
      """
      @4  2023-11-16 22:13:20  bob
        - BOB
            first: "Bob"
            last: "Stone"
            arrival: 0
            departure: 0
            mood: "calm"
            fullName: "Bob Stone"
            hotel: HOTEL
      @3  2023-11-15 22:13:20  bob  "Marry"
        ~ EVE
            last: "Smith" → "Jones"
            fullName: "Eve Smith" → "Eve Jones"
      """
    ) { try report.write(test.store, to: $0) }
    report.limit = 1
    report.author = nil
    report.entity = "Hotel"
    try check(
      """
      @2  2023-11-14 22:13:20  ada  "Check in"
        + HOTEL
            name: "Grand"
      """
    ) { try report.write(test.store, to: $0) }
    try check(
      """
        ~ EVE
            last: "Smith" → "Jones"
            fullName: "Eve Smith" → "Eve Jones"
      """
    ) { try DifferenceReport.write(test.store, from: 2, to: 3, to: $0) }
  }

  func testColoursMarkOldAndNewValues() async throws {
    let report = try object("EVE")
    try check(
      """
      \u{1B}[36m@3\u{1B}[0m  \u{1B}[2m2023-11-15 22:13:20\u{1B}[0m  \u{1B}[33mbob\u{1B}[0m  "Marry"
        \u{1B}[33m~ EVE\u{1B}[0m
            last: \u{1B}[31m"Smith"\u{1B}[0m → \u{1B}[32m"Jones"\u{1B}[0m
            fullName: \u{1B}[31m"Eve Smith"\u{1B}[0m → \u{1B}[32m"Eve Jones"\u{1B}[0m
      """, .text(Style(hasColours: true))
    ) { try report.writeHistory(limit: 1, to: $0) }
  }

  func testProgramsGetOneObjectInEachLine() async throws {
    var report = LogReport()
    report.limit = 1
    report.last = 3
    let lines = try test.lines(.json) { try report.write(test.store, to: $0) }
    let value = try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any]
    XCTAssertEqual(lines.count, 1)
    XCTAssertEqual(value?["position"] as? Int, 3)
    XCTAssertEqual(value?["author"] as? String, "bob")
    let change = try XCTUnwrap((value?["changes"] as? [[String: Any]])?.first)
    XCTAssertEqual(change["object"] as? String, "EVE")
    XCTAssertEqual(
      change["properties"] as? [[String: String]],
      [
        ["property": "last", "old": "Smith", "new": "Jones"],
        ["property": "fullName", "old": "Eve Smith", "new": "Eve Jones"],
      ])
    let eve = try object("EVE")
    try check(
      """
      {"members":{},"object":"EVE","values":{"age":30,"arrival":0,"departure":0,"first":"Eve","fullName":"Eve Jones",\
      "hotel":"HOTEL","last":"Jones","mood":"calm"}}
      """, .json
    ) { try eve.write(to: $0) }
  }

  func testAStoreIsSummarised() async throws {
    let lines = try test.lines { try InfoReport(test.store).write(to: $0) }
    XCTAssertTrue(lines[0].hasPrefix("STORE, "), lines[0])
    XCTAssertTrue(lines[2].hasPrefix("parts: log "), lines[2])
    XCTAssertEqual(
      (lines[1...1] + lines[3...]).joined(separator: "\n"),
      """
      log: 4 transactions, @1 (2023-11-14 22:13:20) to @4 (2023-11-16 22:13:20)

      entity  objects  attributes  relationships  indexes
      Guest         1           7              1        2
      Hotel         1           1              1        0

      index       entity  properties  kind
      fullName    Guest   fullName    index
      [fullName]  Guest   fullName    unique
      """)
    let pieces = lines[2].dropFirst(7).split(separator: ", ").map { $0.split(separator: " ").map(String.init) }
    XCTAssertEqual(pieces.map { $0[0] }, ["log", "objects", "indexes", "other", "free"])
    struct Sizes: Decodable {
      let bytes: Int
      let parts: [String: Int]
    }
    let json = try test.lines(.json) { try InfoReport(test.store).write(to: $0) }.joined()
    let sizes = try JSONDecoder().decode(Sizes.self, from: Data(json.utf8))
    XCTAssertEqual(sizes.parts.values.reduce(0, +), sizes.bytes)
    let page = Int(getpagesize())
    XCTAssertEqual(sizes.parts["objects"], page)
    XCTAssertTrue(sizes.parts.values.allSatisfy { $0.isMultiple(of: page) }, json)
  }

  func testDamagedJournalsHideAStore() async throws {
    try? FileManager.default.removeItem(atPath: test.path + "/journals")
    try Data().write(to: URL(fileURLWithPath: test.path + "/journals"))
    let lines = try test.lines { try InfoReport(test.store).write(to: $0) }
    let problem =
      "The journal of uncommitted edits and screens in STORE/journals failed. The journals in STORE/journals cannot be "
      + "listed (Not a directory). Check that this user may read the folder."
    XCTAssertEqual(lines[3], "problem: " + problem)
    XCTAssertEqual(lines.count { $0.hasPrefix("problem: ") }, 1)
    XCTAssertTrue(lines.contains { $0.hasPrefix("Hotel ") }, "\(lines)")
    let json = try test.lines(.json) { try InfoReport(test.store).write(to: $0) }
    XCTAssertTrue(json[0].contains(#""problem":""# + problem), json[0])
  }

  func testAnObjectIsShown() async throws {
    let (eve, hotel) = (try object("EVE"), try object("HOTEL"))
    try check(
      """
      EVE
        first: "Eve"
        last: "Jones"
        age: 30
        arrival: 0
        departure: 0
        mood: "calm"
        fullName: "Eve Jones"
        hotel: HOTEL
      """
    ) { try eve.write(to: $0) }
    try check(
      """
      HOTEL
        name: "Grand"
        guests: 1 object
          EVE
      """
    ) { try hotel.write(to: $0) }
  }

  func testThePastIsShown() async throws {
    let context = try test.store.context(at: Places(test.store).position("2023-11-15"))
    let report = ObjectReport(try Places(test.store).object(test.id("HOTEL"), in: context), in: context)
    try check(
      """
      HOTEL
        name: "Grand"
        guests: 2 objects
          EVE
          BOB
      """
    ) { try report.write(to: $0) }
  }

  func testBlameNamesTheAuthorOfEachValue() async throws {
    let report = try object("HOTEL")
    try check(
      """
      property  value    transaction  time                 author  name
      name      "Grand"           @2  2023-11-14 22:13:20  ada     Check in
      """
    ) { try report.writeBlame(to: $0) }
  }

  func testAHistoryHasOnlyTheWantedProperty() async throws {
    let report = try object("EVE")
    let lines = try test.lines { try report.writeHistory(limit: nil, property: "age", to: $0) }
    XCTAssertEqual(lines.filter { $0.hasPrefix("@") }, ["@2  2023-11-14 22:13:20  ada  \"Check in\""])
    XCTAssertEqual(try test.lines { try report.writeHistory(limit: 0, property: "age", to: $0) }, [])
    XCTAssertThrowsError(try test.lines { try report.writeHistory(limit: nil, property: "aeg", to: $0) }) {
      XCTAssertEqual(
        "\($0)",
        "Guest has no property 'aeg'. It has: first, last, age, arrival, departure, mood, fullName, hotel.")
    }
    let deleted = try object("BOB")
    XCTAssertThrowsError(try test.lines { try deleted.write(to: $0) })
    let history = try test.lines { try deleted.writeHistory(limit: nil, to: $0) }
    XCTAssertEqual(history.filter { $0.hasPrefix("@") }.count, 2)
  }

  func testAQueryFindsObjects() async throws {
    var report = try QueryReport(#"Guest where first contains[nocase] "E" order by first"#)
    let id = test.id("EVE").split(separator: "/")[1]
    try check(
      """
      id                                    first  last   age  arrival  departure  mood  fullName   hotel
      \(id)  Eve    Jones   30        0          0  calm  Eve Jones  HOTEL
      """
    ) { try report.write(test.store, to: $0) }
    report.part = .count
    try check("1") { try report.write(test.store, to: $0) }
    report.position = 2
    try check("1") { try report.write(test.store, to: $0) }
    report.part = .plan
    XCTAssertTrue(try test.lines { try report.write(test.store, to: $0) }.joined().contains("1"))
    var past = try QueryReport("Guest @2")
    past.part = .count
    try check("2") { try past.write(test.store, to: $0) }
    XCTAssertTrue(past.hasMoment)
    past.part = .objects
    past.tableLimit = 1
    XCTAssertEqual(
      try test.lines { try past.write(test.store, to: $0) }.last, "… and 1 more. Add a limit, or use --json.")
    let values = try QueryReport("Hotel")
    try check(#"{"object":"HOTEL","values":{"name":"Grand"}}"#, .json) { try values.write(test.store, to: $0) }
    try checkJSONParts(values)
    XCTAssertThrowsError(try QueryReport("Guest where"))
    let unknown = try QueryReport("Ghost")
    XCTAssertThrowsError(try test.lines { try unknown.write(test.store, to: $0) })
  }

  private func checkJSONParts(_ report: QueryReport) throws {
    var report = report
    report.part = .count
    try check(#"{"count":1}"#, .json) { try report.write(test.store, to: $0) }
    report.part = .plan
    try check(
      """
      {"access":"scan","expectedVisits":1,"isInOrder":true,"properties":[],"readsHistory":false,"rowsInMemory":1,\
      "text":"By a scan of all objects, already sorted: 1 objects visited (1 expected), at most 1 rows in memory at \
      once.","transactionsRead":0,"unfinishedIndexes":[],"visits":1}
      """, .json
    ) { try report.write(test.store, to: $0) }
  }

  func testPartsOfLongValuesAreShown() async throws {
    for (form, text) in [
      (
        PropertyDifference.Form.text(offset: 7, removed: "old", inserted: "new\n"), #"body: at 7 "old" → "new\n""#
      ),
      (.bytes(offset: 3, removed: [1], inserted: [1, 2]), "body: at 3 1 bytes → 2 bytes"),
      (.members(added: [], removed: []), "body: another order"), (.erased, "body: erased"),
    ] {
      XCTAssertEqual(DifferenceText(PropertyDifference(property: "body", form: form)).line(.updated, Style()), text)
    }
  }

  func testMaintenanceIsReported() async throws {
    try check(
      """
      Copied the store at @7 to STORE, 1.2 KB.
      Left out the journal 01.journal.
      """
    ) { try BackupText(test.path, 7, bytes: 1_234, missingJournals: ["01.journal"]).write(to: $0) }
    let sound = try await StoreMaintenance.verify(test.store)
    let lines = try test.lines { try FindingsReport(sound).write(to: $0) }
    XCTAssertEqual(lines.count, 1)
    XCTAssertTrue(lines[0].hasPrefix("Sound: 4 transactions"), lines[0])
    try check(#"{"isSound":true,"problems":[]}"#, .json) { try FindingsReport(sound).write(to: $0) }
  }

  func testTheSchemaIsShown() async throws {
    try check(
      """
      Guest
        first: string
        last: string
        age: int?
        arrival: int
        departure: int
        mood: string, default "calm"
        fullName: string, derived, indexed
        hotel: Hotel?
        unique [fullName]

      Hotel
        name: string
        guests: ordered to many Guest
      """
    ) { try SchemaReport(test.store).write(to: $0) }
    try check(
      """
      import Reprise

      @Model final class Guest {
        var first: String = ""
        var last: String = ""
        var age: Int?
        var arrival: Int = 0
        var departure: Int = 0
        var mood: String = "calm"
        // derived: var fullName: String
        @Relationship(inverse: \\Hotel.guests) var hotel: Hotel?

        init() {}
      }

      @Model final class Hotel {
        var name: String = ""
        var guests: OrderedToMany<Guest>

        init() {}
      }
      """
    ) { try SchemaReport(test.store).writeSwift(to: $0) }
  }
}
