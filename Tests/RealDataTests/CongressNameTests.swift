#if Macros
import Foundation
import Reprise
import RepriseTesting
import XCTest

@Model final class CongressMember {
  #Index<CongressMember>([\.lastName, \.firstName])
  @Attribute(.unique) var key: String
  @Attribute(.indexed, .searchable) var firstName: String
  @Attribute(.searchable, .indexed([.ignoringCase, .ignoringDiacritics])) var lastName: String
  @Attribute(.searchable) var officialName: String?
  init(key: String) {
    self.key = key
    firstName = ""
    lastName = ""
  }
}

/// The members of congress by name, while fourteen years of edits to them are saved.
@MainActor final class CongressNameTests: XCTestCase {
  private static let typed = [
    "", "j", "jo", "john", "john s", "VELAZ", "velázquez", "mc", "van h", "o'", "o’r", "de la", "jr", "robert c",
    "nobody so named", "sánch", "LUJAN", "b. sc", "é", "ma ma",
  ]

  func testSearchesFindWhatALookAtEveryNameFindsThroughTheWholeHistory() async throws {
    let temporary = try await TemporaryStore(for: CongressMember.self)
    let context = temporary.store.mainContext
    let list = try FetchedList(Self.search("john"), in: context)
    var members: [String: CongressMember] = [:]
    var (transactions, edits, operations, searches, found) = (0, 0, 0, 0, 0)
    for case let transaction as [String: Any] in try DataFile("congress-history/history.jsonl.gz").lines() {
      transactions += 1
      let before = operations
      for case let operation as [Any] in transaction["ops"] as? [Any] ?? []
      where operation[1] as? String == "Legislator" {
        operations += 1
        let key = try XCTUnwrap(operation[2] as? String)
        if operation[0] as? String == "-" {
          context.delete(try XCTUnwrap(members.removeValue(forKey: key)))
          continue
        }
        if operation[0] as? String == "+" { members[key] = context.insert(CongressMember(key: key)) }
        let member = try XCTUnwrap(members[key])
        let values = operation[3] as? [String: Any] ?? [:]
        if let first = values["name.first"] as? String { member.firstName = first }
        if let last = values["name.last"] as? String { member.lastName = last }
        if let official = values["name.official_full"] as? String { member.officialName = official }
        if operation.count > 4, (operation[4] as? [String] ?? []).contains("name.official_full") {
          member.officialName = nil
        }
      }
      if operations == before { continue }
      edits += 1
      // Some searches see what is not saved.
      if edits % 40 == 0 { found += try check(context, &searches) }
      try await context.save()
      await list.delivered()
      XCTAssertEqual(try list.identifiers.all, try context.fetchIDs(list.fetch), "transaction \(transactions)")
    }
    found += try check(context, &searches)
    XCTAssertEqual(transactions, 947)
    XCTAssertEqual(members.count, 537)
    XCTAssertEqual(try context.count(Fetch<CongressMember>()), 537)
    XCTAssertGreaterThan(found, 0)
    print("congress-history: \(edits) edits of \(operations) members, \(searches) searches found \(found)")
    let report = try await StoreMaintenance.verify(temporary.store)
    XCTAssertEqual(report.problems, [])
  }

  private static func search(_ text: String) -> Fetch<CongressMember> {
    Fetch {
      .any([
        $0.officialName.contains(words: text, .whileTyping), $0.lastName.contains(words: text, .whileTyping),
        $0.firstName.contains(words: text, .whileTyping),
      ])
    }
    .sorted { [$0.lastName.ascending, $0.firstName.ascending] }
  }

  /// Returns how many members the searches found.
  private func check(_ context: RootContext, _ searches: inout Int) throws -> Int {
    let members = try context.fetch(Fetch<CongressMember>())
    var found = 0
    for text in Self.typed {
      let fetch = Self.search(text)
      let ids = try context.fetchIDs(fetch)
      let expected = try members.filter { try fetch.condition.holds(for: $0) }
      XCTAssertEqual(Set(ids), Set(expected.map(\.id)), text)
      XCTAssertEqual(try context.count(fetch), expected.count, text)
      let plain = Fetch<CongressMember> { $0.lastName.hasPrefix(text, [.ignoringCase, .ignoringDiacritics]) }
      let prefix = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
      let byHand = members.filter {
        $0.lastName.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).hasPrefix(prefix)
      }
      XCTAssertEqual(try Set(context.fetchIDs(plain)), Set(byHand.map(\.id)), text)
      searches += 2
      found += ids.count + byHand.count
    }
    return found
  }
}
#endif
