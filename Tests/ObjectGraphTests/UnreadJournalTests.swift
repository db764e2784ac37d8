import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseTestModels
import XCTest

@testable import RepriseJournal

/// Files in the place of journals whose drafts nobody knows.
@MainActor final class UnreadJournalTests: XCTestCase {
  private enum Kind: CaseIterable {
    case link, folder, newerFormat, prereleaseFormat, otherStore, copy, large

    /// The next step that its sentence names.
    var step: String {
      switch self {
      case .link, .folder: "Move it away"
      case .newerFormat: "a newer version of the program"
      case .prereleaseFormat: "with that version"
      case .otherStore: "Move it to the folder"
      case .copy: "give the copy its name"
      case .large: "chmod go-w"
      }
    }
  }

  private func header(
    of journal: UniqueID, log: UniqueID, version: UInt8 = 1, magic: String = "RJOURNAL"
  ) -> [UInt8] {
    var bytes = JournalFormat.header(log: log, journal: journal)
    bytes.replaceSubrange(..<8, with: Array(magic.utf8))
    bytes[8] = version
    let sum = bytes.withUnsafeBytes { Checksum.crc32c(UnsafeRawBufferPointer(rebasing: $0[..<44])) }
    for byte in 0..<4 { bytes[44 + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * byte)) }
    return bytes
  }

  private func write(_ bytes: [UInt8], to path: String, mode: Int = 0o600) {
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(bytes), attributes: [.posixPermissions: mode])
    XCTAssertTrue(isMade)
  }

  /// The path of a file for a journal, in a folder that exists.
  private func place(_ journal: UniqueID, in test: TestStore) throws -> String {
    let folder = test.path + "/journals"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder + "/" + JournalFolder.name(journal)
  }

  private func plant(_ kind: Kind, _ journal: UniqueID, in test: TestStore) throws -> String {
    let (path, log) = (try place(journal, in: test), test.store.logID)
    switch kind {
    case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
    case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .newerFormat: write(header(of: journal, log: log, version: 2), to: path)
    case .prereleaseFormat: write(header(of: journal, log: log, magic: "REPRISEJ"), to: path)
    case .otherStore: write(header(of: journal, log: UniqueID()), to: path)
    case .copy: write(header(of: UniqueID(), log: log), to: path)
    case .large:
      write(header(of: journal, log: log), to: path)
      let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try handle.truncate(atOffset: UInt64(1 << 28 + 1))
      try handle.close()
      try FileManager.default.setAttributes([.posixPermissions: 0o620], ofItemAtPath: path)
    }
    return path
  }

  func testAJournalThatIsNotReadIsReportedUntilItIsRepaired() async throws {
    for kind in Kind.allCases {
      let (test, journal) = (try TestStore(), UniqueID())
      let path = try plant(kind, journal, in: test)
      for isAtOpening in [false, true] {
        // The list of drafts looks at the folder.
        if isAtOpening {
          await test.store.abandon()
          try test.open()
        } else {
          _ = try test.store.drafts.all()
        }
        let losses = test.store.drafts.journalProblems
        XCTAssertEqual(losses.count, 1, "\(kind)")
        XCTAssertTrue(losses.first?.contains(JournalFolder.name(journal)) ?? false, "\(kind): \(losses)")
        XCTAssertTrue(losses.first?.contains(kind.step) ?? false, "\(kind): \(losses)")
        let main = test.store.mainContext
        XCTAssertEqual(main.draftProblems, losses, "\(kind)")
        XCTAssertEqual(main.draftID, "main", "which drafts it has is unknown")
      }
      try FileManager.default.removeItem(atPath: path)
      _ = try test.store.drafts.all()
      XCTAssertEqual(test.store.drafts.journalProblems, [], "\(kind)")
      XCTAssertEqual(test.store.mainContext.draftProblems, [], "\(kind)")
    }
  }

  func testAnEmptyJournalIsNoLoss() async throws {
    let (test, journal) = (try TestStore(), UniqueID())
    write(header(of: journal, log: test.store.logID), to: try place(journal, in: test))
    await test.store.abandon()
    try test.open()
    XCTAssertEqual(test.store.drafts.journalProblems, [])
    XCTAssertEqual(test.store.mainContext.draftProblems, [])
  }

  func testADamagedJournalIsReportedByTheStore() async throws {
    let test = try TestStore()
    for name in ["one", "two"] {
      test.store.mainContext.insert(Item(name: name))
      try test.store.journal.flush()
    }
    await test.store.abandon()
    var (path, bytes) = try test.onlyJournal()
    bytes[JournalFormat.headerSize + JournalFormat.frameHeaderSize + 12] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try test.open()
    XCTAssertEqual(test.store.drafts.journalProblems.count, 1)
    path.removeFirst((test.path + "/journals/").count)
    XCTAssertTrue(
      test.store.drafts.journalProblems.first?.contains(path) ?? false, "\(test.store.drafts.journalProblems)")
  }
}
