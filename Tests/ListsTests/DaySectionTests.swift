import Foundation
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestSeeds
import XCTest

/// Lists in sections by day: with the index of the date, without it, and where something else sorts them.
final class DaySectionTests: XCTestCase {
  private struct Moment: AttributeValue, Comparable {
    static var attributeKind: AttributeKind { .date }
    var seconds: Double
    var propertyValue: PropertyValue { .date(seconds) }
    static func from(_ value: PropertyValue) -> Moment? {
      if case .date(let seconds) = value { Moment(seconds: seconds) } else { nil }
    }
    static func < (left: Moment, right: Moment) -> Bool { left.seconds < right.seconds }
  }

  private final class Entry: PersistentModel {
    static let entity = Entity(
      Entry.self, name: "Entry",
      properties: [.attribute("date", Moment?.self, indexed: true), .attribute("name", String.self)])
    let _storage: ObjectStorage
    init(_storage: ObjectStorage) { self._storage = _storage }
    init(_ seconds: Double?, name: String) {
      _storage = ObjectStorage(Entry.entity)
      self.date = seconds.map { Moment(seconds: $0) }
      self.name = name
    }
    var date: Moment? {
      get { _storage.get(0) }
      set { _storage.set(0, newValue) }
    }
    var name: String {
      get { _storage.get(1) }
      set { _storage.set(1, newValue) }
    }
    struct Fields: FieldSet {
      typealias Model = Entry
      let date: Field<Entry, Moment>
      let name: Field<Entry, String>
      init(_ path: FieldPath) {
        date = Field(path.appending("date"))
        name = Field(path.appending("name"))
      }
    }
    struct Snapshot: Sendable {}
    var snapshot: Snapshot { Snapshot() }

    func day(_ offset: Int) -> String {
      guard let date else { return "" }
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = TimeZone(secondsFromGMT: offset) ?? .gmt
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSinceReferenceDate: date.seconds))
      func two(_ number: Int?) -> String { String("0\(number ?? 0)".suffix(2)) }
      return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
    }
  }

  private func sections(_ entries: [Entry], _ offset: Int) -> [String] {
    var names: [String] = []
    var rows: [String: [String]] = [:]
    for entry in entries {
      let day = entry.day(offset)
      if rows[day] == nil { names.append(day) }
      rows[day, default: []].append("\(entry.id)")
    }
    return names.map { "\($0): \(rows[$0] ?? [])" }
  }

  func testADaysRowsStandTogetherWhateverIsEdited() async throws {
    for seed in testSeeds(3) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Entry.self))
      let root = RootContext(test.store)
      let child = root.makeChild()
      let offset = 2 * 3600
      let all = Fetch<Entry>()
      let fetches: [Fetch<Entry>] = [
        all.sorted { $0.date }, all.sorted { $0.date.descending },
        all.filter { $0.name != "b" }.sorted { [$0.date.ascending(nils: .last), $0.name.ascending] },
        all.sorted { $0.name }, all.sorted { $0.date }.limit(9, offset: 3),
      ].map { $0.sectioned { DayKey($0.date, offset: offset) } }
      let lists = try [root as EditingContext, child].flatMap { context in
        try fetches.map { (list: try FetchedList($0, in: context), fetch: $0) }
      }
      XCTAssertEqual(
        lists.prefix(2).map { $0.list.explain().rows },
        [.countedIndex(property: "date"), .countedIndex(property: "date")])
      for step in 0..<120 {
        let context: EditingContext = step % 3 == 0 ? child : root
        let entries = try context.fetch(all)
        let midnight = Double(Int.random(in: -3...3, using: &random) * 86_400 - offset)
        let date = [nil, midnight, midnight.nextDown, midnight + 40_000].randomElement(using: &random) ?? nil
        switch (Int.random(in: 0..<6, using: &random), entries.randomElement(using: &random)) {
        case (0, let entry?): context.delete(entry)
        case (1, let entry?): entry.name = entry.name == "b" ? "a" : "b"
        case (2, let entry?): entry.date = date.map { Moment(seconds: $0) }
        case (3, _) where step % 4 == 0: try await root.save()
        default: context.insert(Entry(date, name: ["a", "b"].randomElement(using: &random) ?? ""))
        }
        for (list, fetch) in lists {
          guard let context = list.context as? EditingContext else { continue }
          let shown = (0..<list.sectionCount).map { section in
            let rows = (0..<list.rowCount(inSection: section)).map { row in
              "\(list.element(at: RowPath(section: section, item: row)).id)"
            }
            return "\(list.sectionName(section) ?? "-"): \(rows)"
          }
          XCTAssertEqual(shown, sections(try context.fetch(fetch), offset), "seed \(seed), step \(step): \(fetch)")
        }
        if testRun?.totalFailureCount ?? 0 > 0 { return }
      }
    }
  }
}
