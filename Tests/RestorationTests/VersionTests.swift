import RepriseEventStore
import RepriseRestoration
import XCTest

/// States of earlier and of later versions of their kinds.
final class VersionTests: RestorationTestCase {
  private struct Title: Codable, Sendable, Equatable {
    var title: String
    var index: Int
  }

  @MainActor private final class TitleScreen {
    let node: RestorationNode<Title>
    init(_ node: RestorationNode<Title>) { self.node = node }
  }

  private struct Broken: Error {}

  /// Which migrations ran, in their order.
  // Safe: read and changed on the main actor only.
  private final class Steps: @unchecked Sendable {
    var taken: [String] = []
  }

  private let steps = Steps()

  /// The present kind: version 1 had a row, version 2 an index, version 3 a title.
  private func kind(_ version: Int, failingAt failing: Int? = nil) -> NodeKind<Title, TitleScreen> {
    let all = [
      StateMigration(to: 2) { [steps] state in
        steps.taken.append("2")
        if failing == 2 { throw Broken() }
        state.rename("row", to: "index")
      },
      StateMigration(to: 3) { [steps] state in
        steps.taken.append("3")
        if failing == 3 { throw Broken() }
        state["title"] = .text("row \(state["index"]?.int ?? -1)")
      },
    ]
    return NodeKind("plain", version: version, migrations: Array(all.prefix(version - 1)))
  }

  private func launch(_ kind: NodeKind<Title, TitleScreen>) async throws -> Restoration {
    let run = restoration()
    try run.define(kind) { TitleScreen($0) }
    try await run.restore()
    return run
  }

  func testAStateOfThePresentVersionIsNotMigrated() async throws {
    let first = try await launch(kind(3))
    try first.open(kind(3), id: "a", state: Title(title: "typed", index: 1))
    try first.save()
    let before = storage.records
    let run = try await launch(kind(3))
    XCTAssertEqual(steps.taken, [])
    XCTAssertEqual(try run.screen(kind(3), at: .of("a"))?.node.state, Title(title: "typed", index: 1))
    try run.save()
    XCTAssertEqual(storage.records, before)
  }

  func testAnOlderStateGoesThroughEachMigrationOnceInAscendingOrder() async throws {
    try await leave(["a", "b"])
    let run = try await launch(kind(3))
    XCTAssertEqual(steps.taken, ["2", "3", "2", "3"])
    XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored, .restored])
    XCTAssertEqual(try run.screen(kind(3), at: .of("b"))?.node.state, Title(title: "row 1", index: 1))
    await endOfTurn()
    XCTAssertEqual(Set(storage.writtenKeys), ["a", "b"], "written without a change by the program")
    storage.writes = []
    let next = try await launch(kind(3))
    XCTAssertEqual(steps.taken, ["2", "3", "2", "3"])
    XCTAssertEqual(try next.screen(kind(3), at: .of("b"))?.node.state, Title(title: "row 1", index: 1))
    try next.save()
    XCTAssertEqual(storage.writtenKeys, [])
  }

  func testEachNodeIsMigratedFromItsOwnVersion() async throws {
    try await leave(["one"])
    var second = storage.records
    do {
      storage.records = [:]
      let run = restoration()
      let kind = NodeKind<Row, PlainScreen>("plain", version: 2)
      try run.define(kind) { PlainScreen($0) }
      try await run.restore()
      try run.open(kind, id: "two", state: Row(row: 7))
      try run.save()
    }
    second.merge(storage.records) { one, _ in one }
    storage.records = second
    let run = restoration()
    let kind = NodeKind<Row, PlainScreen>(
      "plain", version: 3,
      migrations: [
        StateMigration(to: 2) { $0["row"] = .integer(Int128(($0["row"]?.int ?? 0) + 10)) },
        StateMigration(to: 3) { $0["row"] = .integer(Int128(($0["row"]?.int ?? 0) * 2)) },
      ])
    try run.define(kind) { PlainScreen($0) }
    try await run.restore()
    XCTAssertEqual(try run.screen(kind, at: .of("one"))?.node.state.row, 20)
    XCTAssertEqual(try run.screen(kind, at: .of("two"))?.node.state.row, 14)
  }

  func testAMigrationByTypeAndThatOfATwoPhaseScreenAndOfAnObject() async throws {
    struct Old: Codable { var row: Int }
    try await leave(["a"])
    do {
      let run = restoration()
      try run.definePlain()
      try run.define(twoPhase: "note") { _, _ in Note("") }
      try run.define(object: Keys.shelf, initial: 5) { Shelf("\($0.state)") }
      try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
      try await run.restore()
      try run.adopt(Note("typed"), kind: "note", id: "n")
      _ = try run.open(ListScreen.kind, id: "list", state: Row())
      try run.save()
    }
    for _ in 1...2 {
      let run = restoration()
      try run.define(
        NodeKind<Title, TitleScreen>(
          "plain", version: 2,
          migrations: [StateMigration(to: 2, from: Old.self) { Title(title: "from a type", index: $0.row) }])
      ) { TitleScreen($0) }
      try run.define(
        twoPhase: "note", version: 2,
        migrations: [StateMigration(to: 2) { $0["text"] = .text(($0["text"]?.text ?? "") + "!") }]
      ) { _, _ in Note("") }
      try run.define(
        object: Keys.shelf, initial: "", version: 2,
        migrations: [StateMigration(to: 2) { $0 = .text("shelf \($0.int ?? 0)") }]
      ) { Shelf($0.state) }
      try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
      try await run.restore()
      XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored, .restored, .restored])
      XCTAssertEqual(
        try run.screen(NodeKind<Title, TitleScreen>("plain"), at: .of("a"))?.node.state.title, "from a type")
      XCTAssertEqual(try run.screen(at: .of("n"), as: Note.self)?.text, "typed!")
      XCTAssertEqual(try run.screen(ListScreen.kind, at: .of("list"))?.shelf.name, "shelf 5")
      try run.save()
    }
  }

  func testAStateOfALaterVersionIsLeftUntouchedWhateverThePolicy() async throws {
    do {
      let run = restoration()
      let later = NodeKind<Row, PlainScreen>("plain", version: 3)
      try run.define(later) { PlainScreen($0) }
      try await run.restore()
      try run.open(later, id: "a", state: Row(row: 7))
      try run.save()
    }
    let before = storage.nodes
    for row in 1...8 {
      let run = restoration()
      run.unrestoredNodeRetention = UnrestoredNodeRetention(launches: 1)
      try run.definePlain { node in
        XCTAssertNotEqual(node.path.text, "a")
        return true
      }
      try await run.restore()
      XCTAssertEqual(
        run.report?.outcome("a"), .unresolved("its state has version 3, and this program reads versions up to 1"))
      XCTAssertEqual(run.report?.dropped, [])
      if row == 1 { try run.openPlain("b") }
      try run.screen(PlainScreen.kind, at: .of("b"))?.node.state.row = row
      try run.save()
    }
    XCTAssertEqual(storage.records["a"], before["a"])
  }

  func testOfAKindWhoseStatesAreGivenUpOnlyItsOwnNodesAreDroppedWithThoseBelow() async throws {
    try await leave(["a", "a/below"])
    do {
      let run = restoration()
      try run.definePlain()
      try run.define(Self.sheet(1)) { PlainScreen($0) }
      try await run.restore()
      for path in ["s", "a/s"] {
        try run.open(Self.sheet(1), id: "s", under: NodePath.of(path).parent, state: Row(row: 1))
      }
      try run.openPlain("s/inner")
      try run.save()
    }
    let run = restoration()
    try run.definePlain()
    try run.define(Self.sheet(2)) { PlainScreen($0) }
    try await run.restore()
    XCTAssertEqual(Set(run.report?.dropped.map(\.text) ?? []), ["s", "a/s", "s/inner"])
    XCTAssertEqual(run.report?.outcome("a/below"), .restored)
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["a", "a/below"])
  }

  private static func sheet(_ version: Int) -> NodeKind<Row, PlainScreen> {
    NodeKind("sheet", version: version, migrations: version == 1 ? [] : [.dropping(below: 2)])
  }

  func testWorkBelowANodeThatIsGivenUpIsKept() async throws {
    func launch(_ version: Int) async throws -> Restoration {
      let run = restoration()
      try run.register(MemoryContext(storage), as: Keys.root)
      try run.define(Self.sheet(version)) { PlainScreen($0) }
      try run.define(EditorScreen.kind, needs: .ownContext(under: ContextParent(registeredAs: "root"))) {
        EditorScreen($0, $1)
      }
      try await run.restore()
      return run
    }
    let first = try await launch(1)
    try first.open(Self.sheet(1), id: "s", state: Row())
    try first.open(EditorScreen.kind, id: "editor", under: .of("s"), state: Row()).context.edit("work")
    try first.save()
    let run = try await launch(2)
    XCTAssertEqual(run.report?.dropped, [])
    XCTAssertEqual(
      run.report?.outcome("s"), .skipped(reason: "this program no longer reads states of version 1"))
    XCTAssertEqual(run.report?.orphanedDrafts, ["s/editor"])
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["s", "s/editor"])
    storage.drafts["s/editor"]?.edits = []
    let next = try await launch(2)
    XCTAssertEqual(next.report?.dropped.map(\.text), ["s", "s/editor"])
  }

  func testAnObjectWhoseStatesAreGivenUpIsMadeFromItsInitialState() async throws {
    func launch(
      _ initial: Int, _ version: Int, _ change: @escaping @MainActor (RestorationNode<Int>) -> Void
    ) async throws {
      let run = restoration()
      let migrations: [StateMigration] = version == 1 ? [] : [.dropping(below: 2)]
      try run.define(object: Keys.shelf, initial: initial, version: version, migrations: migrations) { node in
        change(node)
        return Shelf("\(node.state)")
      }
      try run.define(ListScreen.kind, needs: .registered(Keys.shelf)) { ListScreen($0, $1) }
      try await run.restore()
      if version == 1 { _ = try run.open(ListScreen.kind, id: "list", state: Row()) }
      XCTAssertNotNil(try run.screen(ListScreen.kind, at: .of("list")), "\(run.report?.entries ?? [])")
      try run.save()
    }
    var seen: [Int] = []
    try await launch(5, 1) { $0.state = 6 }
    try await launch(7, 2) { seen.append($0.state) }
    try await launch(8, 2) { seen.append($0.state) }
    XCTAssertEqual(seen, [7, 7], "what was given up is replaced in the archive")
  }

  func testAMigrationThatFailsIsToldAndTheBytesAreRetained() async throws {
    try await leave(["a", "a/below"])
    let before = storage.nodes
    for failing in [2, 3] {
      for _ in 1...8 {
        let run = restoration()
        run.unrestoredNodeRetention = UnrestoredNodeRetention(launches: 1)
        try run.define(kind(3, failingAt: failing)) { TitleScreen($0) }
        try run.define(ListScreen.kind) { _ in nil as ListScreen? }
        try await run.restore()
        XCTAssertEqual(
          run.report?.outcome("a"),
          .failed(reason: "its state could not be migrated from version 1 to \(failing): Broken()"))
        XCTAssertEqual(run.report?.outcome("a/below"), .skipped(reason: "the screen 'a' above it was not restored"))
        try run.save()
        XCTAssertEqual(storage.nodes, before)
      }
    }
    // A program that can.
    let run = try await launch(kind(3))
    XCTAssertEqual(run.report?.entries.map(\.outcome), [.restored, .restored])
  }

  func testAMigratedStateThatIsNotTakenUpIsRetainedAsItWas() async throws {
    try await leave(["a"])
    let before = storage.nodes
    for failure in ["nil", "throws", "another type"] {
      let run = restoration()
      let other = NodeKind<[String], PlainScreen>("plain", version: 3, migrations: [StateMigration(to: 3) { _ in }])
      if failure == "another type" {
        try run.define(other) { _ in nil as PlainScreen? }
      } else {
        try run.define(kind(3)) { node -> TitleScreen? in
          if failure == "throws" { throw Broken() }
          return nil
        }
      }
      try await run.restore()
      try run.save()
      XCTAssertEqual(storage.nodes, before, failure)
    }
    let run = try await launch(kind(3))
    XCTAssertEqual(run.report?.outcome("a"), .restored)
  }

  func testVersionsThatCannotBeAreRefusedWhenTheyAreDefined() throws {
    func refused(_ version: Int, _ steps: [Int], _ reason: String) {
      let run = restoration()
      let kind = NodeKind<Row, PlainScreen>(
        "plain", version: version, migrations: steps.map { StateMigration(to: $0) { _ in } })
      assertThrows(
        "'plain' cannot be defined: \(reason). Correct the arguments of `define`.",
        try run.define(kind) { PlainScreen($0) })
    }
    refused(0, [], "its version must be 1 or more")
    for steps in [[1], [3, 2], [2, 2]] { refused(3, steps, "its migrations must have ascending versions from 2 on") }
    refused(3, [2, 4], "it has version 3, but a migration leads to the later version 4")
  }

  func testAppVersionSystemVersionAndTimeAreKnownBeforeAnyFactoryRuns() async throws {
    try await leave(["a"])
    let run = restoration()
    var isMade = false
    try run.definePlain { _ in
      isMade = true
      return true
    }
    var info: ArchiveInfo?
    try await run.restore {
      XCTAssertFalse(isMade)
      info = $0
      return true
    }
    XCTAssertTrue(isMade)
    XCTAssertEqual(info?.appVersion, "1.0")
    XCTAssertEqual(info?.schemaVersion, 1)
    var names = utsname()
    uname(&names)
    let release = withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    XCTAssertTrue(info?.systemVersion.hasSuffix(" " + release) ?? false, info?.systemVersion ?? "")
    XCTAssertLessThan(abs(Double(info?.savedAt ?? 0) / 1_000_000 - Date().timeIntervalSince1970), 3600)
  }

  // MARK: Values

  func testAStateReadAsValuesIsTheSameWhenItIsWritten() throws {
    struct All: Codable, Equatable {
      var flag = true
      var small = 5
      var negative = -70_000
      var wide = Int128.min
      var wider = UInt128.max
      var double = 1.5
      var text = "Grüße"
      var bytes: [UInt8] = [0, 200, 255]
      var list = [[1, 2], [], [3]]
      var map = ["a": 1.25, "b": -2]
      var nothing: Int?
    }
    let value = try StateValue(encoding: All())
    XCTAssertEqual(try value.decode(All.self), All())
    XCTAssertEqual(try StateValue(encoding: value.decode(All.self)), value)
    XCTAssertEqual(value["small"]?.int, 5)
    XCTAssertEqual(value["small"]?.double, 5)
    XCTAssertEqual(value["wider"], .wide(.max))
    XCTAssertEqual(value["list"]?.list?.count, 3)
    XCTAssertEqual(value["bytes"], .bytes([0, 200, 255]))
    XCTAssertNil(value["nothing"])
    var changed = value
    changed.rename("text", to: "title")
    changed["small"] = nil
    XCTAssertThrowsError(try changed.decode(All.self))
    XCTAssertEqual(changed["title"], "Grüße")
    var scalar: StateValue = 5
    scalar["a"] = ["b": [1, true, 2.5]]
    XCTAssertEqual("\(scalar)", #"[a: [b: [1, true, 2.5]]]"#)
  }

  func testAValueThatIsTooDeepOrTooLargeIsRefused() throws {
    var deep: StateValue = .null
    for _ in 0..<70 { deep = .list([deep]) }
    XCTAssertThrowsError(try deep.decode([Int].self))
    XCTAssertThrowsError(try StateValue.bytes(Array(repeating: 1, count: 2 << 20)).decode([UInt8].self))
  }
}
