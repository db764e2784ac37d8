import RepriseEventStore
import RepriseLists
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseRemote
import XCTest

/// The log is the outbox, so its beginning goes only once the source has taken it up.
final class RemoteFloorTests: RemoteTestCase {
  func testASourceHoldsWhatItHasNotTakenUp() async throws {
    server.insert("a")
    try await device.source.refresh()
    let mark = device.store.log.head
    try await edit { $0.title = "b" }
    try await edit { $0.body = "text" }
    let report = try await device.store.log.retain(.last(1))
    XCTAssertLessThanOrEqual(report.firstPosition, mark + 1)
    guard case .remoteSource(name: "articles", _)? = report.blockedBy.first else {
      return XCTFail("\(report.blockedBy)")
    }
    // Nothing is lost to the server, nor after a relaunch.
    try await device.relaunch()
    try await device.source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), ["b"])
    XCTAssertEqual(server.rows.map(\.body), ["text"])
    let free = try await device.store.log.retain(.last(1))
    XCTAssertGreaterThan(free.firstPosition, mark + 1)
    try await edit { $0.title = "c" }
    try await device.source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), ["c"])
    let verified = try await StoreMaintenance.verify(device.store)
    XCTAssertEqual(verified.problems, [])
  }

  func testASourceThatIsNewAboveAFloorSendsWhatTheLogStillTells() async throws {
    try await device.insert("before")
    let last = try await device.insert("after")
    let report = try await device.store.log.retain(.last(1))
    XCTAssertEqual(report.firstPosition, device.store.log.head)
    try await device.source.synchronize()
    XCTAssertEqual(server.rows.map(\.title), ["after"])
    XCTAssertEqual(last.title, "after")
    try await device.relaunch()
    try await edit { $0.body = "text" }
    try await device.source.synchronize()
    XCTAssertEqual(try device.source.pendingCount, 0)
  }

  func testWhatWasInTheScopeBeforeTheFloorIsKnownToASourceThatIsNewAboveIt() async throws {
    for change in ["update", "move", "delete"] {
      try await setUp()
      let name = "scoped"
      let article = try await device.insert(name)
      article.body = name
      try await device.context.save()
      switch change {
      case "update": article.title = "b"
      case "move": article.body = ""
      default: device.context.delete(article)
      }
      try await device.context.save()
      let report = try await device.store.log.retain(.last(1))
      XCTAssertEqual(report.firstPosition, device.store.log.head)
      let server = ArticleServer()
      let source = try ArticleSource(
        name, Fetch<Article>(), in: device.context, from: server, mapping: ArticleRecord.mapping,
        scope: Fetch<Article> { $0.body == name })
      try await source.send()
      XCTAssertEqual(server.rows.map(\.title), change == "update" ? ["b"] : [], change)
      XCTAssertEqual(try source.pendingCount, 0, change)
    }
  }
}
