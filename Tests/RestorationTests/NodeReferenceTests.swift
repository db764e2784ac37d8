import RepriseRestoration
import XCTest

/// References in the states of kinds of one step, and of two.
final class NodeReferenceTests: RestorationTestCase {
  private struct Link: Codable, Sendable {
    var target: NodeReference?
    /// Far away in the tree.
    var targets: Set<NodeReference> = []
  }

  @MainActor private final class LinkScreen {
    static let kind = NodeKind<Link, LinkScreen>("link")
    let node: RestorationNode<Link>
    init(_ node: RestorationNode<Link>) { self.node = node }
  }

  @MainActor private final class Page: @MainActor RestorableScreen {
    var target: NodeReference?
    func encodeRestorableState(with coder: RestorationEncoder) { coder.encode(target, forKey: "target") }
    func decodeRestorableState(with coder: RestorationDecoder) throws {
      target = try coder.decode(NodeReference.self, forKey: "target")
    }
  }

  private func launch(_ isThere: @escaping @MainActor (String) -> Bool = { _ in true }) async throws -> Restoration {
    let run = restoration()
    try run.definePlain { isThere($0.path.id) }
    try run.define(LinkScreen.kind) { LinkScreen($0) }
    try run.define(twoPhase: "page") { _, _ in Page() }
    try await run.restore()
    return run
  }

  private func target(_ run: Restoration) throws -> NodeReference {
    try XCTUnwrap(try run.screen(LinkScreen.kind, at: .of("link"))?.node.state.target)
  }

  func testAReferenceInACodableStateFollowsTheNodeThatIsMovedAndRenamed() async throws {
    let run = try await launch()
    for path in ["a", "a/page", "b"] { try run.openPlain(path, 7) }
    let link = try run.open(LinkScreen.kind, id: "link", state: Link())
    let page = try XCTUnwrap(try run.screen(PlainScreen.kind, at: .of("a/page")))
    link.node.state.target = page.node.reference
    XCTAssertEqual(page.node.reference, link.node.state.target, "there is one for each node")
    try page.node.move(id: "moved", under: .of("b"))
    // A stranger comes to the path.
    try run.openPlain("a/page", 8)
    XCTAssertEqual(try run.path(of: target(run))?.text, "b/moved")
    try run.save()
    for _ in 1...2 {
      let again = try await launch()
      let target = try target(again)
      XCTAssertEqual(try again.path(of: target)?.text, "b/moved")
      XCTAssertEqual(try again.screen(PlainScreen.kind, of: target)?.node.state.row, 7)
      XCTAssertNil(try again.screen(LinkScreen.kind, of: target), "of another kind")
      try again.screen(PlainScreen.kind, at: .of("a"))?.node.state.row += 1
      try again.save()
    }
    let last = try await launch()
    try last.screen(PlainScreen.kind, at: .of("b"))?.node.move(id: "c", under: nil)
    XCTAssertEqual(try last.path(of: target(last))?.text, "c/moved")
  }

  func testAReferenceToWhatWasClosedLeadsNowhereAndToNoStranger() async throws {
    let run = try await launch()
    let first = try run.openPlain("page")
    let link = try run.open(LinkScreen.kind, id: "link", state: Link(target: first.node.reference))
    first.node.close()
    XCTAssertNil(first.node.reference)
    try run.openPlain("page")
    XCTAssertNil(try run.path(of: XCTUnwrap(link.node.state.target)))
    try run.save()
    let again = try await launch()
    XCTAssertNil(try again.path(of: target(again)))
    XCTAssertNil(try again.screen(PlainScreen.kind, of: target(again)))
    XCTAssertNil(try again.reference(to: .of("nowhere")))
  }

  func testKindsOfOneStepAndOfTwoReferToEachOther() async throws {
    let run = try await launch()
    let plain = try run.openPlain("plain", 3)
    let page: Page = try run.open("page", id: "page")
    let link = try run.open(LinkScreen.kind, id: "link", state: Link(target: run.reference(to: page)))
    page.target = plain.node.reference
    XCTAssertEqual(try run.reference(to: .of("page")), link.node.state.target)
    try run.move(page, id: "moved", under: .of("plain"))
    try run.save()
    let again = try await launch()
    let back: Page = try XCTUnwrap(try again.screen(of: target(again)))
    XCTAssertEqual(try again.path(of: target(again))?.text, "plain/moved")
    XCTAssertEqual(try back.target.flatMap { try again.screen(PlainScreen.kind, of: $0) }?.node.state.row, 3)
  }

  func testAReferenceLeadsToWhatIsDeferredAndToWhatWasNotReadYet() async throws {
    storage.readsInParts = true
    let first = try await launch()
    for path in ["tabs", "tabs/a", "tabs/b", "tabs/b/deep"] { try first.openPlain(path, 5) }
    try first.select("a", at: .of("tabs"))
    try first.open(LinkScreen.kind, id: "link", state: Link(target: first.reference(to: .of("tabs/b/deep"))))
    try first.save()
    let run = try await launch()
    XCTAssertEqual(try run.path(of: target(run))?.text, "tabs/b/deep")
    XCTAssertEqual(run.report?.outcome("tabs/b/deep"), .deferred, "its path is known without it")
    XCTAssertEqual(try run.screen(PlainScreen.kind, of: target(run))?.node.state.row, 5)
  }

  func testAReferenceToWhatIsDeferredIsKept() async throws {
    let first = try await launch()
    for path in ["tabs", "tabs/a", "tabs/b"] { try first.openPlain(path) }
    try first.select("a", at: .of("tabs"))
    try first.save()
    let run = try await launch()
    try run.open(LinkScreen.kind, id: "link", state: Link(target: run.reference(to: .of("tabs/b"))))
    try run.save()
    let again = try await launch()
    XCTAssertEqual(try again.path(of: target(again))?.text, "tabs/b")
  }

  func testAReferenceToWhatWasNotRestoredHasItsPathAndNoScreen() async throws {
    let first = try await launch()
    try first.open(LinkScreen.kind, id: "link", state: Link(target: first.openPlain("gone").node.reference))
    try first.save()
    let run = try await launch { $0 != "gone" }
    XCTAssertEqual(try run.path(of: target(run))?.text, "gone")
    XCTAssertNil(try run.screen(PlainScreen.kind, of: target(run)))
  }
}
