import RepriseLists
import RepriseObjectModel
import RepriseRemote
import RepriseRestoration
import RepriseTesting
import XCTest

/// Screens that need a remote source, over launches without a network.
@MainActor
final class RestoredSourceTests: XCTestCase {
  private struct Offline: Error {}

  private var isOffline = true
  private static let articles: RestorationKey<ArticleSource> = "articles"

  /// A list with a selected row, which it finds by its identifier.
  @MainActor private final class ListScreen {
    struct State: Codable, Sendable { var selected: ModelIdentifier? }
    static let kind = NodeKind<State, ListScreen>("list")
    let node: RestorationNode<State>
    let source: ArticleSource
    init(_ node: RestorationNode<State>, _ source: ArticleSource) { (self.node, self.source) = (node, source) }

    var titles: [String] { source.rows.map(\.title) }

    var selected: String? {
      guard let path = node.state.selected.flatMap({ source.row(for: $0).path }) else { return nil }
      return source.element(at: path).title
    }
  }

  private func restoration(_ device: Device) throws -> Restoration {
    let run = Restoration(device.store)
    try run.define(ListScreen.kind, needs: .registered(Self.articles)) { ListScreen($0, $1) }
    return run
  }

  /// A launch that reads the server's rows, and shows one of them; then a kill, and no network.
  private func leaveList() async throws -> Device {
    let device = try await Device(ArticleServer())
    for title in ["a", "b", "c"] { device.server.insert(title) }
    let run = try restoration(device)
    try run.register(device.source, as: Self.articles)
    try await run.restore()
    let screen = try run.open(ListScreen.kind, id: "list", state: ListScreen.State())
    try await device.source.refresh()
    screen.node.state.selected = device.source.modelIdentifier(at: RowPath(item: 1))
    try await run.flush()
    device.server.configure { state in state.fault = { _ in (RemoteError.denied(reason: "no network"), .before) } }
    try await device.relaunch()
    return device
  }

  func testARemoteSourceIsRestoredOfflineWithItsRowsAndSelectionAtOnce() async throws {
    let device = try await leaveList()
    let run = try restoration(device)
    try run.register(device.source, as: Self.articles)
    let report = try await run.restore()
    XCTAssertEqual(report.entries.map(\.outcome), [.restored])
    let screen = try XCTUnwrap(try run.screen(ListScreen.kind, at: NodePath(["list"])))
    XCTAssertEqual(screen.titles, ["a", "b", "c"])
    XCTAssertEqual(screen.selected, "b")
    do {
      try await device.source.refresh()
      XCTFail("there is no network")
    } catch RemoteError.denied {
    }
    XCTAssertEqual(screen.titles, ["a", "b", "c"], "a refresh that fails takes nothing away")
    XCTAssertEqual(screen.selected, "b")
  }

  func testAListWhoseSourceComesLateOrFailsWaitsForItWithItsState() async throws {
    let device = try await leaveList()
    let run = try restoration(device)
    try run.register(late: Self.articles) {
      if self.isOffline { throw Offline() }
      return device.source
    }
    try await run.restore()
    let failed = try await run.waitUntilSettled()
    XCTAssertNotEqual(failed.entries.map(\.outcome), [.restored])
    guard case .failed? = run.lateObjects.first?.stage else { return XCTFail("\(run.lateObjects)") }
    try await run.flush()
    isOffline = false
    run.retry(Self.articles)
    let report = try await run.waitUntilSettled()
    XCTAssertEqual(report.entries.map(\.outcome), [.restored])
    let screen = try XCTUnwrap(try run.screen(ListScreen.kind, at: NodePath(["list"])))
    XCTAssertEqual(screen.titles, ["a", "b", "c"])
    XCTAssertEqual(screen.selected, "b")
  }
}
