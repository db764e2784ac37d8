import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseQuery
import RepriseTestModels
import XCTest

/// What `StoreMaintenance.check(_:)` says of a store, and what opening one does that is asked to look first.
final class CheckTests: XCTestCase {
  private func closedStore() async throws -> TestStore {
    let test = try TestStore()
    let context = RootContext(test.store)
    for number in 0..<200 { context.insert(Item(name: "item \(number)")) }
    try await context.save("Fill")
    try await test.store.close()
    return test
  }

  /// Turns the page that has the log's first row into one of no kind.
  private func damage(_ path: String) throws -> UInt {
    let file = URL(fileURLWithPath: path + "/data.mdb")
    var bytes = [UInt8](try Data(contentsOf: file))
    // The first page that is a leaf, and that the check misses.
    for page in 2..<bytes.count / 4096 where bytes[page * 4096 + 10] == 2 {
      bytes[page * 4096 + 10] = 0xFF
      try Data(bytes).write(to: file)
      if try !StoreMaintenance.checkNow(path).isSound { return UInt(page) }
      bytes[page * 4096 + 10] = 2
    }
    throw CocoaError(.fileReadUnknown)
  }

  func testAStoreAsItWasClosedIsSound() async throws {
    let test = try await closedStore()
    let report = try await StoreMaintenance.check(test.path)
    XCTAssertTrue(report.isSound, report.description)
    XCTAssertGreaterThan(report.pages, 10)
    XCTAssertGreaterThan(report.freePages, 0)
    XCTAssertEqual(report.description, "Sound: \(report.pages) pages of 4096 bytes, \(report.freePages) of them free.")
  }

  func testAnOpenStoreIsNotChecked() async throws {
    let test = try TestStore()
    do {
      _ = try await StoreMaintenance.check(test.path)
      XCTFail("checked while it was open")
    } catch {
      guard case StoreError.inUse(test.path) = error else { return XCTFail("\(error)") }
    }
  }

  func testWhatIsNoStoreIsNotCheckedAndNotMadeOne() async throws {
    let path = NSTemporaryDirectory() + "reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for content in [nil, Data(count: 100_000)] {
      if let content { try content.write(to: URL(fileURLWithPath: path + "/data.mdb")) }
      do {
        _ = try await StoreMaintenance.check(path)
        XCTFail("checked nothing")
      } catch {
        guard case StoreError.notAStore(path, _) = error else { return XCTFail("\(error)") }
      }
    }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: path), ["data.mdb"])
  }

  func testADamagedPageIsNamedAndAStoreThatHasOneIsRefusedBeforeItIsMapped() async throws {
    let test = try await closedStore()
    let page = try damage(test.path)
    let report = try await StoreMaintenance.check(test.path)
    let problem = try XCTUnwrap(report.problems.first)
    XCTAssertEqual(problem.kind, .page)
    XCTAssertEqual(problem.page, page)
    XCTAssertTrue(report.description.contains("page \(page)"), report.description)
    do {
      _ = try await Store.open(test.path, for: Item.self, Person.self, checksStructure: true)
      XCTFail("opened")
    } catch {
      guard case StoreError.damaged(test.path, let reason) = error else { return XCTFail("\(error)") }
      XCTAssertTrue(reason.contains("page \(page)"), reason)
    }
    do {
      try await StoreMaintenance.rebuild(test.path)
      XCTFail("rebuilt what must not be mapped")
    } catch {
      guard case StoreError.damaged(test.path, _) = error else { return XCTFail("\(error)") }
    }
  }

  func testASoundStoreOpensWithTheCheck() async throws {
    let test = try await closedStore()
    let store = try await Store.open(test.path, for: Item.self, Person.self, checksStructure: true)
    XCTAssertEqual(try RootContext(store).count(Fetch<Item>()), 200)
    try await store.close()
  }

  func testATableThatIsMissingIsNamed() async throws {
    let test = try await closedStore()
    let file = URL(fileURLWithPath: test.path + "/data.mdb")
    var data = try Data(contentsOf: file)
    while let range = data.range(of: Data("journals".utf8)) { data.replaceSubrange(range, with: Data("journeys".utf8)) }
    try data.write(to: file)
    let report = try await StoreMaintenance.check(test.path)
    XCTAssertEqual(report.problems.map(\.description), ["table 'journals': it is missing"])
  }
}
