import RepriseObjectModel
import RepriseRestoration
import XCTest

/// The example of the last origin document, under its own names: a data source registered as "DataSource" comes along
/// with the controller that refers to it.
final class TwoPhaseTests: RestorationTestCase {
  final class DataSourceClass {}

  @MainActor final class Controller: @MainActor RestorableScreen {
    static var log: [String] = []
    let name: String
    var dataSource: DataSourceClass?
    var title = ""
    var peer: Controller?
    var finished = 0

    init(_ name: String) {
      self.name = name
      Self.log.append("made \(name)")
    }

    func encodeRestorableState(with coder: RestorationEncoder) {
      coder.encode(title, forKey: "title")
      coder.encodeReference(to: "DataSource", forKey: "DataSource")
      if let peer { coder.encodeReference(to: peer, forKey: "peer") }
      if title == "too long" { coder.encode([UInt8](repeating: 0, count: 2 << 20), forKey: "blob") }
    }

    func decodeRestorableState(with coder: RestorationDecoder) throws {
      Self.log.append("decoded \(name)")
      guard let object = coder.decodeObject(forKey: "DataSource"), let dataSource = object as? DataSourceClass else {
        return
      }
      self.dataSource = dataSource
      title = try coder.decode(String.self, forKey: "title") ?? "none"
      peer = coder.decodeObject(forKey: "peer") as? Controller
      if title == "broken" { throw RestorationError.alreadyRestored }
    }

    func restorationFinished() {
      Self.log.append("finished \(name)")
      finished += 1
    }
  }

  static let dataSource: RestorationKey<DataSourceClass> = "DataSource"

  override func setUp() async throws { Controller.log = [] }

  private func run(_ source: DataSourceClass? = DataSourceClass()) async throws -> (Restoration, RestorationReport) {
    let run = restoration()
    if let source { try run.register(source, as: Self.dataSource) }
    try run.define(twoPhase: "Controller") { path, _ in path.id == "gone" ? nil : Controller(path.id) }
    try run.definePlain()
    Controller.log = []
    return (run, try await run.restore())
  }

  private func adopt(_ run: Restoration, _ path: String, _ title: String) throws -> Controller {
    let path = NodePath.of(path)
    let controller = Controller(path.id)
    controller.title = title
    try run.adopt(controller, kind: "Controller", id: path.id, under: path.parent)
    return controller
  }

  func testAControllerFindsTheRegisteredDataSourceItself() async throws {
    let (first, _) = try await run()
    _ = try adopt(first, "root", "Items")
    try first.save()
    let source = DataSourceClass()
    let (again, report) = try await run(source)
    let controller: Controller = try XCTUnwrap(try again.screen(at: .of("root")))
    XCTAssertTrue(controller.dataSource === source)
    XCTAssertEqual(controller.title, "Items")
    XCTAssertEqual(report.outcome("root"), .restored)
  }

  func testAllAreMadeThenAllDecodeThenEachIsToldOnce() async throws {
    let (first, _) = try await run()
    let a = try adopt(first, "a", "")
    a.peer = try adopt(first, "a/b", "")
    let c = try adopt(first, "c", "")
    c.peer = a
    a.peer?.peer = c
    try first.save()
    let (again, _) = try await run()
    XCTAssertEqual(
      Controller.log,
      ["made a", "made b", "made c", "decoded a", "decoded b", "decoded c", "finished a", "finished b", "finished c"])
    let restored: Controller = try XCTUnwrap(try again.screen(at: .of("a")))
    XCTAssertTrue(restored.peer?.peer?.peer === restored)
    XCTAssertTrue(restored.peer === (try again.screen(at: .of("a/b"), as: Controller.self)))
  }

  func testADecodingThatThrowsCostsItsSubtreeOnlyAndTheStateIsKept() async throws {
    let (first, _) = try await run()
    _ = try adopt(first, "a", "broken")
    try first.openPlain("a/plain")
    _ = try adopt(first, "a/b", "")
    _ = try adopt(first, "c", "")
    try first.save()
    let before = storage.records
    let (again, report) = try await run()
    XCTAssertEqual(
      report.outcome("a"),
      .failed(reason: "its state could not be decoded: \(RestorationError.alreadyRestored)"))
    XCTAssertEqual(report.outcome("a/b"), .skipped(reason: "the screen 'a' above it was not restored"))
    XCTAssertEqual(report.outcome("a/plain"), .skipped(reason: "the screen 'a' above it was not restored"))
    XCTAssertEqual(report.outcome("c"), .restored)
    XCTAssertEqual(Controller.log.filter { $0.hasPrefix("finished") }, ["finished c"])
    try again.save()
    XCTAssertEqual(storage.records, before)
  }

  func testAControllerThatIsNotMadeCostsItsSubtreeOnly() async throws {
    let (first, _) = try await run()
    _ = try adopt(first, "gone", "")
    _ = try adopt(first, "gone/b", "")
    _ = try adopt(first, "c", "")
    try first.save()
    let (_, report) = try await run()
    XCTAssertEqual(report.outcome("gone"), .skipped(reason: "its factory found nothing to restore"))
    XCTAssertEqual(report.outcome("gone/b"), .skipped(reason: "the screen 'gone' above it was not restored"))
    XCTAssertEqual(report.outcome("c"), .restored)
  }

  func testAReferenceToNothingDecodesAsNothing() async throws {
    let (first, _) = try await run()
    _ = try adopt(first, "a", "kept")
    try first.save()
    let (again, report) = try await run(nil)
    XCTAssertEqual(report.outcome("a"), .restored)
    let controller: Controller = try XCTUnwrap(try again.screen(at: .of("a")))
    XCTAssertNil(controller.dataSource)
  }

  func testAControllerWaitsForADataSourceThatIsLate() async throws {
    let (first, _) = try await run()
    _ = try adopt(first, "a", "kept")
    try first.save()
    let run = restoration()
    let source = DataSourceClass()
    try run.register(late: Self.dataSource) {
      for _ in 0..<20 { await Task.yield() }
      return source
    }
    try run.define(twoPhase: "Controller") { path, _ in Controller(path.id) }
    let report = try await run.restore()
    XCTAssertEqual(report.outcome("a"), .pending(key: "DataSource"))
    try await run.waitUntilSettled()
    let controller: Controller = try XCTUnwrap(try run.screen(at: .of("a")))
    XCTAssertTrue(controller.dataSource === source)
    XCTAssertEqual(controller.finished, 1)
  }

  func testAnInvalidatedStateIsWrittenAtTheEndOfTheTurn() async throws {
    let (run, _) = try await run()
    let a = try adopt(run, "a", "one")
    let b = try adopt(run, "b", "two")
    await endOfTurn()
    storage.writes = []
    a.title = "changed"
    b.title = "changed too"
    run.invalidateState(of: a)
    await endOfTurn()
    XCTAssertEqual(storage.writtenKeys, ["a"])
    // save() asks all.
    try run.save()
    XCTAssertEqual(storage.writtenKeys, ["a", "b"])
    a.title = "too long"
    XCTAssertThrowsError(try run.save())
    run.close(a)
    try run.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["b"])
  }

  func testWhatATwoPhaseScreenDoesNotReadIsKept() async throws {
    @MainActor final class Newer: @MainActor RestorableScreen {
      func encodeRestorableState(with coder: RestorationEncoder) {
        coder.encode("x", forKey: "title")
        coder.encode(2.5, forKey: "zoom")
        coder.encode(Int?.none, forKey: "nothing")
      }
      func decodeRestorableState(with coder: RestorationDecoder) throws {}
    }
    let first = restoration()
    try first.define(twoPhase: "Controller") { _, _ in Newer() }
    try await first.restore()
    try first.adopt(Newer(), kind: "Controller", id: "a")
    try first.save()

    let (run, _) = try await run()
    let older: Controller = try XCTUnwrap(try run.screen(at: .of("a")))
    older.title = "changed"
    try run.save()

    var zoom: Double?
    let again = restoration()
    try again.define(twoPhase: "Controller") { _, coder in
      zoom = try coder.decode(Double.self, forKey: "zoom")
      XCTAssertEqual(try coder.decode(String.self, forKey: "title"), "changed")
      XCTAssertFalse(coder.containsValue(forKey: "nothing"))
      XCTAssertNil(coder.decodeObject(forKey: "zoom"))
      XCTAssertThrowsError(try coder.decode(Int.self, forKey: "title"))
      XCTAssertThrowsError(try coder.object(for: Keys.other))
      return Newer()
    }
    try await again.restore()
    XCTAssertEqual(zoom, 2.5)
  }

  func testAStateThatCannotBeWrittenIsRefused() async throws {
    let (run, _) = try await run()
    assertThrows(
      "The screen 'a' was not made: its state could not be encoded: the values of the state are nested more than 64 "
        + "levels deep. Remove the cause, then open the screen again.",
      try run.open("Controller", id: "a", encoding: { $0.encode(Nested.deep(70), forKey: "deep") }) as Controller)
  }

  func testAScreenIsAdoptedOnce() async throws {
    let (first, _) = try await run()
    let screen = try adopt(first, "one", "")
    XCTAssertThrowsError(try first.adopt(screen, kind: "Controller", id: "two")) { error in
      XCTAssertTrue("\(error)".contains("'one'"), "\(error)")
    }
    XCTAssertThrowsError(try first.adopt(screen, kind: "Controller", id: "one"))
    screen.title = "changed"
    try first.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["one"])
    first.close(screen)
    try first.save()
    XCTAssertEqual(storage.nodes, [:])
    // Once it has left, it may come to another place.
    try first.adopt(screen, kind: "Controller", id: "two")
    try first.save()
    XCTAssertEqual(Set(storage.nodes.keys), ["two"])
  }

  func testATwoPhaseScreenIsMovedWithWhatIsBelowIt() async throws {
    let (first, _) = try await run()
    XCTAssertThrowsError(try first.move(Controller("none"), under: nil))
    let a = try adopt(first, "a", "kept")
    _ = try adopt(first, "a/b", "")
    _ = try adopt(first, "c", "")
    XCTAssertThrowsError(try first.move(a, under: .of("a/b")))
    try first.move(a, id: "z", under: .of("c"))
    try first.save()
    let (again, report) = try await run()
    XCTAssertEqual(Set(report.entries.map(\.path.text)), ["c", "c/z", "c/z/b"])
    let moved: Controller? = try again.screen(at: .of("c/z"))
    XCTAssertEqual(moved?.title, "kept")
  }

  func testAScreenThatAFactoryGivesToTwoNodesIsOnesOnly() async throws {
    let (first, _) = try await run()
    _ = try adopt(first, "one", "title of one")
    _ = try adopt(first, "two", "title of two")
    try first.save()
    let before = storage.records
    let again = restoration()
    let shared = Controller("shared")
    try again.register(DataSourceClass(), as: Self.dataSource)
    try again.define(twoPhase: "Controller") { _, _ in shared }
    let report = try await again.restore()
    XCTAssertEqual(report.outcome("one"), .restored)
    XCTAssertEqual(report.outcome("two"), .failed(reason: "its factory returned the screen that is open as 'one'"))
    XCTAssertEqual(shared.title, "title of one")
    try again.save()
    XCTAssertEqual(storage.records, before)
  }
}
