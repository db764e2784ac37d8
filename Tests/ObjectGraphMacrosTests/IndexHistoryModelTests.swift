import Reprise
import XCTest

#if Macros
@Model private final class Ticket {
  #Index<Ticket>([\.price, \.seat], [\.name], keepsHistory: true)
  #Index<Ticket>([\.seat], keepsHistory: false)
  #Unique<Ticket>([\.code], keepsHistory: true)
  #Unique<Ticket>([\.seat, \.name], nilsAreEqual: true, keepsHistory: true)
  var code: String = ""
  var name: String?
  var price: Int = 0
  var seat: Int?
}

final class IndexHistoryModelTests: XCTestCase {
  /// Counts by an index, in the present or the past.
  private let counts: [(name: String, fetch: Fetch<Ticket>, keepsHistory: Bool)] = [
    ("[price, seat]", Fetch { $0.price == 3 }, true), ("[name]", Fetch { $0.name == "a" }, true),
    ("[seat]", Fetch { $0.seat == 1 }, false), ("[code]", Fetch { $0.code == "c" }, true),
    ("[seat, name]", Fetch { $0.seat == 1 && $0.name == "a" }, true),
  ]

  func testTheMacroDeclaresIndexesThatKeepHistory() async throws {
    let path = NSTemporaryDirectory() + "reprise-index-history-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try await Store.open(path, for: Ticket.self)
    let context = RootContext(store)
    let ticket = context.insert(Ticket())
    (ticket.code, ticket.name, ticket.price, ticket.seat) = ("c", "a", 3, 1)
    try await context.save()
    let past = try store.context(at: store.log.head)
    (ticket.code, ticket.name, ticket.price, ticket.seat) = ("d", "b", 4, 2)
    try await context.save()
    for (name, fetch, keepsHistory) in counts {
      XCTAssertEqual(try past.count(fetch), 1, name)
      XCTAssertEqual(try context.count(fetch), 0, name)
      XCTAssertEqual(try past.explain(fetch).readsHistory, keepsHistory, name)
    }
    try await store.close()
  }
}
#endif
