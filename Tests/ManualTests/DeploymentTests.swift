#if Macros
import Foundation
import Reprise
import XCTest

func openInContainer(_ path: String) async throws -> Store {
  while true {
    do {
      return try await Store.open(
        path, for: Book.self, Author.self, Genre.self, ReadingList.self, Loan.self)
    } catch StoreError.writerBusy(_, let process, _, let seconds) {
      print("Process \(process ?? 0) holds the lock of \(path) and has done nothing for \(seconds) seconds.")
      try await Task.sleep(for: .seconds(10))
    } catch StoreError.sameProcessID(_, let process) {
      print("The process \(process) of another container still has \(path) open.")
      try await Task.sleep(for: .seconds(1))
    }
  }
}

func maintain(_ store: Store, backups: String) async throws {
  let day = Date.now.formatted(.iso8601.year().month().day())
  let backup = try await StoreMaintenance.backup(store, to: "\(backups)/\(day).reprise")
  for journal in backup.missingJournals { print("The backup lacks the unsaved changes in", journal) }
  try await store.log.retain(.younger(than: .seconds(90 * 86_400)))
}

final class DeploymentTests: ManualTestCase {
  func testABackupCanBeOpened() async throws {
    let store = try await makeStore()
    try await fill(store)
    let folder = NSTemporaryDirectory() + "reprise-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    try await maintain(store, backups: folder)
    let backup = try XCTUnwrap(try FileManager.default.contentsOfDirectory(atPath: folder).first)
    let copy = try await openInContainer(folder + "/" + backup)
    XCTAssertEqual(try copy.mainContext.count(Fetch<Book>()), 3)
    try await copy.close()
  }
}
#endif
