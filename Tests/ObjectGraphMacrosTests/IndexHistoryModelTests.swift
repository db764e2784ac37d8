import Reprise
import XCTest

#if Macros
@Model private final class Ticket {
  #Index<Ticket>([\.price, \.seat], [\.name], keepsHistory: true)
  #Unique<Ticket>([\.code], keepsHistory: true)
  #Unique<Ticket>([\.seat, \.name], nilsAreEqual: true, keepsHistory: true)
  var code: String = ""
  var name: String?
  var price: Int = 0
  var seat: Int?
}

/// A model of its own, because a fetch in the past uses the history of any index over the objects.
@Model private final class Chair {
  #Index<Chair>([\.row], keepsHistory: false)
  var row: Int = 0
}

final class IndexHistoryModelTests: XCTestCase {
  /// Counts by an index, in the present or the past.
  private let counts: [(name: String, fetch: Fetch<Ticket>)] = [
    ("[price, seat]", Fetch { $0.price == 3 }), ("[name]", Fetch { $0.name == "a" }),
    ("[code]", Fetch { $0.code == "c" }), ("[seat, name]", Fetch { $0.seat == 1 && $0.name == "a" }),
  ]

  func testTheMacroDeclaresIndexesThatKeepHistory() async throws {
    let path = NSTemporaryDirectory() + "reprise-index-history-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Ticket.self, Chair.self)
    let context = RootContext(store)
    let ticket = context.insert(Ticket())
    (ticket.code, ticket.name, ticket.price, ticket.seat) = ("c", "a", 3, 1)
    let chair = context.insert(Chair())
    try await context.save()
    let past = try store.context(at: store.log.head)
    (ticket.code, ticket.name, ticket.price, ticket.seat) = ("d", "b", 4, 2)
    chair.row = 1
    try await context.save()
    for (name, fetch) in counts {
      XCTAssertEqual(try past.count(fetch), 1, name)
      XCTAssertEqual(try context.count(fetch), 0, name)
      XCTAssertTrue(try past.explain(fetch).readsHistory, name)
    }
    let chairs = Fetch<Chair> { $0.row == 0 }
    XCTAssertEqual(try past.count(chairs), 1)
    XCTAssertFalse(try past.explain(chairs).readsHistory)
    try await store.close()
  }
}
#endif
