import Foundation
import RepriseDynamic
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import XCTest

/// The backup of a store that is only read changes the store, or lacks something of it.
@MainActor
final class InspectedBackupTests: XCTestCase {
  private let folder = NSTemporaryDirectory() + "reprise-inspected-backup-\(UUID().uuidString)"
  private var path: String { folder + "/store" }

  override func setUp() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  override func tearDown() async throws { try FileManager.default.removeItem(atPath: folder) }

  private func open(_ path: String) throws -> Store {
    try Store.openNow(path, for: Schema(Guest.self, Hotel.self), StoreOptions())
  }

  private func files(_ path: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    let names = FileManager.default.enumerator(atPath: path)
    while let name = names?.nextObject() as? String {
      files[name] = try? Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    }
    return files
  }

  func testABackupTakesTheDraftOfAKilledProgram() async throws {
    // The journal of a killed program is in a copy of its folder.
    let program = try open(folder + "/program")
    let context = RootContext(program)
    context.insert(Guest("Eve", "Smith"))
    try await context.save()
    let draft = try RootContext(program, author: "ada", draft: "editor")
    draft.insert(Guest("Bob", "Stone"))
    try await program.flush()
    try FileManager.default.copyItem(atPath: folder + "/program", toPath: path)
    withExtendedLifetime(draft) {}
    try await program.close()

    let tool = try await Store.open(inspecting: path)
    let before = try files(path)
    XCTAssertEqual(before.keys.count { $0.hasSuffix(".journal") }, 1)
    let report = try await StoreMaintenance.backup(tool, to: folder + "/copy")
    XCTAssertEqual(report.position, tool.log.head)
    XCTAssertEqual(report.missingJournals, [])
    let after = try files(path)
    // The table of readers is in the lock file.
    for name in Set(before.keys).union(after.keys) where name != "lock.mdb" {
      XCTAssertEqual(before[name], after[name], name)
    }
    try await tool.close()
    let copy = try open(folder + "/copy")
    XCTAssertEqual(try RootContext(copy).count(Fetch<Guest>()), 1)
    XCTAssertEqual(try RootContext(copy, draft: "editor").count(Fetch<Guest>()), 2)
    try await copy.close()
  }
}
