import Foundation
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Lists in sections by day: with the index of the date, without it, and where something else sorts them.
final class DaySectionTests: XCTestCase {
  private func sections(_ meetings: [Meeting], _ offset: Int) -> [String] {
    var names: [String] = []
    var rows: [String: [String]] = [:]
    for meeting in meetings {
      let day = meeting.day(offset)
      if rows[day] == nil { names.append(day) }
      rows[day, default: []].append("\(meeting.id)")
    }
    return names.map { "\($0): \(rows[$0] ?? [])" }
  }

  func testADaysRowsStandTogetherWhateverIsEdited() async throws {
    for seed in testSeeds(3) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(Schema(Meeting.self))
      let root = RootContext(test.store)
      let child = root.makeChild()
      let offset = 2 * 3600
      let all = Fetch<Meeting>()
      let fetches: [Fetch<Meeting>] = [
        all.sorted { $0.start }, all.sorted { $0.start.descending },
        all.filter { $0.name != "b" }.sorted { [$0.start.ascending(nils: .last), $0.name.ascending] },
        all.sorted { $0.name }, all.sorted { $0.start }.limit(9, offset: 3),
      ].map { $0.sectioned { DayKey($0.start, offset: offset) } }
      let lists = try [root as EditingContext, child].flatMap { context in
        try fetches.map { (list: try FetchedList($0, in: context), fetch: $0) }
      }
      XCTAssertEqual(
        lists.prefix(2).map { $0.list.explain().rows },
        [.countedIndex(property: "start"), .countedIndex(property: "start")])
      for step in 0..<120 {
        let context: EditingContext = step % 3 == 0 ? child : root
        let meetings = try context.fetch(all)
        let midnight = Double(Int.random(in: -3...3, using: &random) * 86_400 - offset)
        let date = [nil, midnight, midnight.nextDown, midnight + 40_000].randomElement(using: &random) ?? nil
        switch (Int.random(in: 0..<6, using: &random), meetings.randomElement(using: &random)) {
        case (0, let meeting?): context.delete(meeting)
        case (1, let meeting?): meeting.name = meeting.name == "b" ? "a" : "b"
        case (2, let meeting?): meeting.start = date.map { Moment(seconds: $0) }
        case (3, _) where step % 4 == 0: try await root.save()
        default: context.insert(Meeting(date, name: ["a", "b"].randomElement(using: &random) ?? ""))
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

extension Meeting {
  fileprivate func day(_ offset: Int) -> String {
    guard let start else { return "" }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: offset) ?? .gmt
    let parts = calendar.dateComponents(
      [.year, .month, .day], from: Date(timeIntervalSinceReferenceDate: start.seconds))
    func two(_ number: Int?) -> String { String("0\(number ?? 0)".suffix(2)) }
    return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
  }
}
