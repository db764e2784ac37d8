import Foundation
import XCTest

/// IDs of objects that processes with different clocks made, one after the other.
final class BirthOrderTests: CrashTestCase {
  private let year = "\(365 * 86_400)"
  private var store: String { folder + "/store" }
  private var go: String { folder + "/go" }

  override func setUpWithError() throws {
    try super.setUpWithError()
    try play("make")
  }

  private func born(_ lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix("born ") }.map { String($0.dropFirst(5)) }
  }

  /// The objects that a process with a right clock makes.
  private func births(_ steps: String) throws -> [String] { born(try play("births", ["do": steps])) }

  /// The objects that a process with a clock that is a year ahead makes.
  private func early(_ steps: String) throws -> [String] {
    born(try play("births", ["ahead": year, "do": steps]))
  }

  /// A process with a right clock, which has opened the store and waits for ``proceed(_:)``.
  private func waiting(_ steps: String) throws -> Child {
    let child = try Child("births", store, ["go": go, "do": steps])
    XCTAssertEqual(child.line()?.hasPrefix("open "), true)
    return child
  }

  private func proceed(_ child: Child) throws -> [String] {
    XCTAssertTrue(FileManager.default.createFile(atPath: go, contents: nil))
    let lines = child.lines()
    XCTAssertEqual(child.end(), .exited(0))
    XCTAssertEqual(lines.filter { $0.hasPrefix("problem") }, [])
    try FileManager.default.removeItem(atPath: go)
    return born(lines)
  }

  private func assertAscending(_ ids: [String], line: UInt = #line) {
    XCTAssertEqual(ids, ids.sorted(), line: line)
    XCTAssertEqual(Set(ids).count, ids.count, line: line)
  }

  func testNewObjectsSortLastThoughAnotherProcessSavedSinceTheFastClock() throws {
    let between = try waiting("insert save")
    var all = try early("insert save")
    _ = try proceed(between)
    for _ in 1...3 { all += try births("insert save verify") }
    assertAscending(all)
  }

  func testNewObjectsSortLastInAProcessThatFollowedTheFastClock() throws {
    let between = try waiting("refresh insert save insert save")
    assertAscending(try early("insert save") + proceed(between))
  }

  func testNewObjectsSortLastInAProcessThatSavedAfterTheFastClock() throws {
    let between = try waiting("insert save insert save")
    let early = try early("insert save")
    // Nobody told the process before its first save.
    assertAscending(try early + proceed(between).suffix(1))
  }

  func testNewObjectsSortAfterThoseOfADraftByAFastClock() throws {
    let draft = try born(play("births", ["ahead": year, "draft": "desk", "do": "insert insert journal"]))
    XCTAssertEqual(draft.count, 2)
    try play("births", ["draft": "desk", "do": "save"])
    assertAscending(draft + (try births("insert save verify")))
  }

  func testNewObjectsSortLastAfterARebuildAndARetention() throws {
    let between = try waiting("insert save")
    var all = try early("insert save")
    _ = try proceed(between)
    try play("births", ["do": "retain rebuild"])
    all += try births("insert save verify")
    assertAscending(all)
    let listed = try play("births", ["do": "list"]).filter { $0.hasPrefix("listed ") }
    XCTAssertEqual(listed.suffix(2), all.map { "listed \($0)" }[...])
  }
}
