import Foundation
import RepriseCore
import RepriseTestModels
import RepriseTesting
import XCTest

/// Screens in a journal that other users may write.
@MainActor final class RefusedScreensTests: XCTestCase {
  private func launch(_ store: Store) async throws -> Restoration {
    let run = Restoration(store)
    try run.definePlain()
    try await run.restore()
    return run
  }

  private func setMode(_ mode: Int, ofJournalsAt path: String) throws {
    let folder = path + "/journals"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".journal") {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder + "/" + name)
    }
  }

  /// Leaves a screen in a journal that other users may write.
  private func leaveScreens() async throws -> TemporaryStore {
    let temporary = try await TemporaryStore(for: Item.self, Person.self)
    do {
      let run = try await launch(temporary.store)
      try run.openPlain("list", 1)
      try await run.flush()
    }
    await temporary.store.abandon()
    try setMode(0o620, ofJournalsAt: temporary.store.path)
    return temporary
  }

  func testALaunchThatWritesNothingGivesUpNoScreens() async throws {
    let temporary = try await leaveScreens()
    let path = temporary.store.path
    for _ in 0..<2 {
      let refusing = try await Store.open(path, for: Item.self, Person.self)
      let run = try await launch(refusing)
      XCTAssertEqual(run.report?.start, .fresh)
      XCTAssertEqual(run.report?.damage.filter { $0.contains("screens of the scene 'main'") }.count, 1)
      await refusing.abandon()
    }
    try setMode(0o600, ofJournalsAt: path)
    let trusting = try await Store.open(path, for: Item.self, Person.self)
    let run = try await launch(trusting)
    XCTAssertEqual(run.report?.entries.map(\.path.text), ["list"])
    run.end()
    try await trusting.close()
  }

  func testScreensThatAreGivenUpAreReportedAndDoNotReturn() async throws {
    let temporary = try await leaveScreens()
    let path = temporary.store.path
    let second = try await Store.open(path, for: Item.self, Person.self)
    do {
      let run = try await launch(second)
      XCTAssertEqual(run.report?.start, .fresh)
      let damage = run.report?.damage ?? []
      XCTAssertEqual(damage.filter { $0.contains("screens of the scene 'main'") }.count, 1, "\(damage)")
      XCTAssertEqual(damage.filter { $0.contains("chmod go-w") }.count, 1, "\(damage)")
      try run.openPlain("detail", 2)
      try await run.flush()
      try await second.journals.checkpoint()
    }
    await second.abandon()
    try setMode(0o600, ofJournalsAt: path)
    let third = try await Store.open(path, for: Item.self, Person.self)
    let run = try await launch(third)
    XCTAssertEqual(run.report?.entries.map(\.path.text), ["detail"])
    XCTAssertEqual(run.report?.damage, [])
    run.end()
    try await third.close()
  }
}
