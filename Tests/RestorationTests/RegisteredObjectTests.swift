import RepriseRestoration
import XCTest

/// Registered objects that are made by a factory, and that need each other.
final class RegisteredObjectTests: RestorationTestCase {
  @MainActor private final class Source {
    static let key: RestorationKey<Source> = "source"
    let node: RestorationNode<Row>?
    init(_ node: RestorationNode<Row>?) { self.node = node }
  }

  @MainActor private final class SourceScreen {
    static let kind = NodeKind<Row, SourceScreen>("source screen")
    let node: RestorationNode<Row>
    let source: Source
    init(_ node: RestorationNode<Row>, _ source: Source) { (self.node, self.source) = (node, source) }
  }

  private func run(_ define: (Restoration) throws -> Void) async throws -> (Restoration, RestorationReport) {
    let run = restoration()
    try run.define(SourceScreen.kind, needs: .registered(Source.key)) { SourceScreen($0, $1) }
    try run.definePlain()
    try define(run)
    return (run, try await run.restore())
  }

  private func leaveOne() async throws {
    let (first, _) = try await run { try $0.define(object: Source.key, initial: Row(row: 3)) { Source($0) } }
    let screen = try first.open(SourceScreen.kind, id: "a", state: Row())
    XCTAssertEqual(screen.source.node?.state.row, 3)
    screen.source.node?.state.row = 8
    try first.openPlain("plain")
    try first.save()
  }

  func testAFactoryMakesAnObjectAgainFromItsState() async throws {
    try await leaveOne()
    var made = 0
    let (again, report) = try await run {
      try $0.define(object: Source.key, initial: Row()) { node in
        made += 1
        XCTAssertEqual(node.path.text, "source")
        return Source(node)
      }
    }
    XCTAssertEqual(made, 1)
    XCTAssertEqual(report.objects.map(\.outcome), [.restored])
    let screen = try XCTUnwrap(try again.screen(SourceScreen.kind, at: .of("a")))
    XCTAssertEqual(screen.source.node?.state.row, 8)
    XCTAssertTrue(try again.open(SourceScreen.kind, id: "b", state: Row()).source === screen.source)
    XCTAssertEqual(made, 1)
  }

  func testAFactoryIsAskedBeforeTheRegisteredInstance() async throws {
    try await leaveOne()
    let registered = Source(nil)
    let (again, report) = try await run {
      try $0.register(registered, as: Source.key)
      try $0.define(object: Source.key, initial: Row()) { Source($0) }
    }
    XCTAssertFalse(try again.screen(SourceScreen.kind, at: .of("a"))?.source === registered)
    XCTAssertEqual(report.objects.map(\.outcome), [.restored])
    // It may give back what is there already: a global.
    let (third, reused) = try await run {
      try $0.register(registered, as: Source.key)
      try $0.define(object: Source.key, initial: Row()) { _ in registered }
    }
    XCTAssertTrue(try third.screen(SourceScreen.kind, at: .of("a"))?.source === registered)
    XCTAssertEqual(reused.objects.map(\.outcome), [.reused])
  }

  func testAnObjectThatCannotBeRestoredCostsWhatNeedsItOnly() async throws {
    try await leaveOne()
    let before = storage.records
    let (again, report) = try await run {
      try $0.register(Source(nil), as: Source.key)
      try $0.define(object: Source.key, initial: Row()) { _ in nil }
    }
    XCTAssertEqual(report.outcome("a"), .skipped(reason: "the factory of the object 'source' returned nil"))
    XCTAssertEqual(report.outcome("plain"), .restored)
    try again.save()
    XCTAssertEqual(storage.records, before)
  }

  func testAnObjectsFactoryThatThrowsCostsWhatNeedsItOnly() async throws {
    struct Broken: Error {}
    try await leaveOne()
    let before = storage.records
    let (again, report) = try await run {
      try $0.define(object: Source.key, initial: Row()) { node in
        node.state.row = 99
        throw Broken()
      }
    }
    XCTAssertEqual(report.outcome("a"), .failed(reason: "its factory threw: Broken()"))
    XCTAssertEqual(report.outcome("plain"), .restored)
    try again.save()
    XCTAssertEqual(storage.records, before)
  }

  func testFactoriesThatNeedEachOtherAreRefusedWithTheWayRound() throws {
    let run = restoration()
    let keys = ["a", "b", "c"].map { RestorationKey<Shelf>($0) }
    try run.define(object: keys[0], initial: 0, needs: .registered(keys[1])) { _, other in other }
    try run.define(object: keys[1], initial: 0, needs: .registered(keys[2])) { _, other in other }
    XCTAssertThrowsError(try run.define(object: keys[2], initial: 0, needs: .registered(keys[0])) { _, other in other })
    {
      guard case .cycle(["c", "a", "b", "c"])? = $0 as? RestorationError else { return XCTFail("\($0)") }
    }
    XCTAssertThrowsError(
      try run.define(object: Keys.shelf, initial: 0, needs: .registered(Keys.shelf)) { _, other in other }
    ) {
      guard case .cycle(["shelf", "shelf"])? = $0 as? RestorationError else { return XCTFail("\($0)") }
    }
  }

  func testABackReferenceBreaksACycle() async throws {
    final class Parent {
      let child: Child
      init(_ child: Child) { self.child = child }
    }
    final class Child {
      let parent: BackReference<Parent>
      init(_ parent: BackReference<Parent>) { self.parent = parent }
    }
    let parent = RestorationKey<Parent>("parent")
    let child = RestorationKey<Child>("child")
    let run = restoration()
    try run.define(object: parent, initial: 0, needs: .registered(child)) { _, child in Parent(child) }
    try run.define(object: child, initial: 0, needs: .backReference(parent)) { _, parent in
      XCTAssertNil(parent.object)
      return Child(parent)
    }
    final class Screen {
      let parent: Parent
      init(_ parent: Parent) { self.parent = parent }
    }
    let kind = NodeKind<Row, Screen>("screen")
    try run.define(kind, needs: .registered(parent)) { _, parent in Screen(parent) }
    try await run.restore()
    let screen = try run.open(kind, id: "a", state: Row())
    await endOfTurn()
    XCTAssertTrue(screen.parent.child.parent.object === screen.parent)
  }

  func testAFactoryThatNeedsItsOwnObjectIsTold() async throws {
    let run = restoration()
    try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
    try run.define(object: Keys.shelf, initial: 0) { [unowned run] _ in
      assertThrows(
        "The screen 'inner' was not made: the factory of 'shelf' needs 'shelf' itself. Remove the cause, then open the "
          + "screen again.", try run.open(ListScreen.kind, id: "inner", state: Row()))
      return Shelf("")
    }
    try await run.restore()
    try run.open(ListScreen.kind, id: "list", state: Row())
    XCTAssertEqual(try run.children(of: nil).map(\.id), ["list"])
  }

  func testWhatOnlyNodesHaveIsRefusedForObjects() {
    let run = restoration()
    let key = RestorationKey<Shelf>("s")
    let text = """
      's' cannot be defined: a registered object can only need `.registered` with a fixed key, or `.backReference`. \
      Correct the arguments of `define`.
      """
    assertThrows(
      text, try run.define(object: key, initial: 0, needs: .nearestAncestor(PlainScreen.kind)) { _, _ in Shelf("") })
    assertThrows(
      text,
      try run.define(object: key, initial: 0, needs: .ownContext(under: .nearestAncestorNode)) {
        (_, _: MemoryContext) in Shelf("")
      })
    assertThrows(
      text, try run.define(object: key, initial: 0, needs: .registered { _ in Keys.other }) { _, _ in Shelf("") })
  }

  func testAnObjectHasDecodedBeforeANodeReceivesIt() async throws {
    let first = restoration()
    try first.register(Note("typed"), as: Note.key)
    try first.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    try await first.restore()
    _ = try first.open(NoteScreen.kind, id: "a", state: Row())
    try first.save()

    let run = restoration()
    let note = Note("fresh")
    try run.define(NoteScreen.kind, needs: .registered(Note.key)) { NoteScreen($0, $1) }
    try run.register(note, as: Note.key)
    try await run.restore()
    XCTAssertEqual(try run.screen(NoteScreen.kind, at: .of("a"))?.textWhenMade, "typed")
    XCTAssertEqual(note.decoded, 1)
    XCTAssertEqual(note.finished, 1)
  }
}
