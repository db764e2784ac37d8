import RepriseRemote
import XCTest

/// Rows whose records a transport cannot read: they are refused alone, and for want of them no other is deleted.
@MainActor
final class UnreadableRowsTests: RemoteTestCase {
  private func refused() throws -> [String?] { try device.source.refusedRows().map(\.id) }

  func testARowThatCannotBeReadHoldsUpNoOtherAndKeepsItsObject() async throws {
    for title in ["a", "b", "c"] { server.insert(title) }
    try await device.source.refresh()
    server.configure { $0.unreadableTitles = ["new b"] }
    server.update("2") { $0.title = "new b" }
    server.update("1") { $0.title = "new a" }
    server.delete("3")
    try await device.source.refresh()
    XCTAssertEqual(titles(), ["b", "new a"])
    XCTAssertEqual(try refused(), ["2"])
    let head = device.store.log.head
    try await device.source.refresh()
    XCTAssertEqual(device.store.log.head, head)
    server.configure { $0.unreadableTitles = [] }
    try await device.source.refreshAnew()
    XCTAssertEqual(titles(), ["new a", "new b"])
    XCTAssertEqual(try refused(), [])
  }

  func testNothingIsTakenForDeletedWhereARowWithoutAnIdentifierCannotBeRead() async throws {
    server.configure { $0.pageSize = 2 }
    for title in ["a", "b", "c", "d", "e"] { server.insert(title) }
    try await device.source.load(atLeast: 100)
    var problems: [String] = []
    device.source.onProblem = { problems.append("\($0)") }
    server.configure { ($0.unreadableTitles, $0.namesUnreadable) = (["odd", "strange"], false) }
    for (id, title) in ["1": "odd", "2": "strange"] { server.update(id) { $0.title = title } }
    server.delete("5")
    try await device.source.refresh()
    XCTAssertEqual(titles(), ["a", "b", "c", "d", "e"])
    XCTAssertEqual(try refused(), [nil, nil])
    let head = device.store.log.head
    for _ in 0..<2 { try await device.source.refresh() }
    XCTAssertEqual(device.store.log.head, head, "a refresh without news writes nothing")
    XCTAssertEqual(problems.count, 1)
    server.configure { $0.unreadableTitles = ["odd"] }
    try await device.source.refresh()
    XCTAssertEqual(titles(), ["a", "c", "d", "e", "strange"])
    server.configure { $0.unreadableTitles = [] }
    // The pages have the same name as before: what could not be read is asked for all the same.
    try await device.source.refresh()
    XCTAssertEqual(titles(), ["c", "d", "odd", "strange"])
    XCTAssertEqual(try refused(), [])
  }

  func testACursorAdvancesPastARowThatCannotBeRead() async throws {
    server.configure { $0.tellsChanges = true }
    for title in ["a", "b"] { server.insert(title) }
    try await device.source.refresh()
    server.configure { $0.unreadableTitles = ["odd"] }
    server.update("1") { $0.title = "odd" }
    server.insert("c")
    try await device.source.refresh()
    XCTAssertEqual(titles(), ["a", "b", "c"])
    XCTAssertEqual(try refused(), ["1"])
    server.update("1") { $0.title = "good" }
    try await device.source.refresh()
    XCTAssertEqual(titles(), ["b", "c", "good"])
    XCTAssertEqual(try refused(), [])
  }
}
