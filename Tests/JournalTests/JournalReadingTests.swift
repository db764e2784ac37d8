import Foundation
import RepriseJournal
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import XCTest

/// A journal for reading. Other journals of this process stand for other processes: a lock belongs to an open file.
final class JournalReadingTests: JournalTestCase {
  private func makeReader(_ log: UniqueID? = nil) -> Journal {
    .reading(directory: folder, claims: directory + "/data.mdb", log: log ?? self.log, tables)
  }

  /// The drafts and screens that a reader finds.
  private func found(_ reader: Journal) throws -> JournalImage {
    let others = try reader.othersJournals()
    let recovery = try reader.recovery().adding(others)
    let transaction = try environment.beginRead()
    return try recovery.image(transaction.view, map)
  }

  /// A process that typed a number into a draft, and has a screen.
  private func typist(_ draft: String, _ number: Int64) throws -> Journal {
    let journal = try open()
    XCTAssertTrue(try journal.claim(.draft(draft)))
    journal.append([
      began(draft), edited(draft, 1, .int(0), .int(number)), .nodePut(scene: draft, key: "/page", bytes: [1]),
    ])
    try journal.write()
    return journal
  }

  private func contents() throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      contents[name] = try read(folder + "/" + name)
    }
    return contents
  }

  func testJournalsOfTheLivingAndTheDeadAreRead() throws {
    let (living, dead) = (try typist("a", 1), try typist("b", 2))
    dead.abandon()
    try write([1, 2, 3], to: folder + "/" + UniqueID().description + ".unfinished")
    let before = try contents()
    let reader = makeReader()
    let image = try found(reader)
    XCTAssertEqual(image.drafts.mapValues { counts($0) }, ["a": [1: 1], "b": [1: 2]])
    XCTAssertEqual(Set(image.scenes.keys), ["a", "b"])
    XCTAssertEqual(reader.problems, [])
    XCTAssertEqual(try contents(), before, "a reader changed a file")
    living.append([edited("a", 1, .int(1), .int(3))])
    try living.write()
    XCTAssertEqual(counts(try found(reader).drafts["a"]), [1: 3])
    let next = try open()
    XCTAssertEqual(try self.image(next).drafts.keys.sorted(), ["b"], "a reader had the journal of the dead process")
    try reader.close()
  }

  func testCheckpointedEditsAreCountedOnce() throws {
    let living = try typist("a", 1)
    let reader = makeReader()
    let others = try reader.othersJournals()
    try checkpoint(living)
    XCTAssertEqual(files(), [])
    let recovery = try reader.recovery().adding(others)
    let transaction = try environment.beginRead()
    let image = try recovery.image(transaction.view, map)
    XCTAssertEqual(image.drafts["a"]?.groups.count, 1)
    XCTAssertEqual(counts(image.drafts["a"]), [1: 1])
  }

  func testAReaderClaimsNothing() throws {
    let living = try typist("a", 1)
    let reader = makeReader()
    XCTAssertThrowsError(try reader.claim(.draft("b"))) {
      guard case JournalError.cannotClaim(_, EROFS) = $0 else { return XCTFail("\($0)") }
    }
    XCTAssertTrue(try living.claim(.draft("b")))
    let claim = reader.isClaimed(.draft("a"))
    XCTAssertTrue(claim.elsewhere && !claim.here)
    XCTAssertEqual(claim.process, getpid())
    XCTAssertEqual(living.isClaimed(.draft("a")).process, getpid())
    living.abandon()
    XCTAssertFalse(reader.isClaimed(.draft("a")).elsewhere)
    XCTAssertNil(reader.isClaimed(.draft("a")).process)
    try reader.close()
  }

  func testAFrameThatIsBeingWrittenIsLeftOut() throws {
    let living = try typist("a", 1)
    let path = try onlyFile()
    let whole = try read(path)
    living.append([edited("a", 1, .int(1), .int(2))])
    try living.write()
    let both = try read(path)
    let reader = makeReader()
    for end in whole.count..<both.count {
      try write(Array(both[..<end]), to: path)
      XCTAssertEqual(counts(try found(reader).drafts["a"]), [1: 1], "\(end)")
    }
    XCTAssertEqual(reader.problems, [])
  }

  func testFramesAfterALossAreUsedOnlyOfTheLiving() throws {
    let living = try typist("a", 1)
    let path = try onlyFile()
    let first = try read(path).count
    living.append([edited("a", 2, .int(0), .int(2))])
    try living.write()
    let second = try read(path).count
    living.append([edited("a", 3, .int(0), .int(3))])
    try living.write()
    let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: UInt64(first))
    file.write(Data(count: second - first))
    let reader = makeReader()
    XCTAssertEqual(counts(try found(reader).drafts["a"]), [1: 1, 3: 3])
    living.abandon()
    let name = String(path.dropFirst(folder.count + 1))
    for _ in 1...2 {
      XCTAssertEqual(counts(try found(reader).drafts["a"]), [1: 1])
      XCTAssertEqual(reader.problems, [.cutShort(file: name, frames: 1)], "a problem was told twice, or not")
    }
  }

  func testFilesThatAReaderCannotReadAreProblems() throws {
    let dead = try typist("a", 1)
    dead.abandon()
    let path = try onlyFile()
    let name = String(path.dropFirst(folder.count + 1))
    let foreign = makeReader(UniqueID())
    XCTAssertEqual(try found(foreign).drafts.count, 0)
    XCTAssertEqual(foreign.unread, [.foreignLog(file: name, log: log)])
    let reader = makeReader()
    try FileManager.default.setAttributes([.posixPermissions: 0o620], ofItemAtPath: path)
    XCTAssertNotNil(try found(reader).unreadable["a"])
    XCTAssertEqual(reader.problems, [.notPrivate(file: name)])
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    XCTAssertEqual(counts(try found(reader).drafts["a"]), [1: 1])
    XCTAssertEqual(reader.problems, [])
  }

  func testWhatIsReadOfAJournalIsNeverAheadOfAnother() throws {
    // While one file is read, its process may write more into it, and then begin the next file.
    let living = try open()
    let reader = makeReader()
    let edits = (Int64(0)..<300).map { edited("a", 1, .int($0), .int($0 + 1)) }
    living.append([began("a")])
    let thread = Thread {
      for (number, edit) in edits.enumerated() {
        living.append([edit])
        try? living.write()
        // Holds the older file, and does not checkpoint it yet.
        if number % 3 == 2 { _ = try? living.beginCheckpoint() }
      }
    }
    thread.start()
    var last: Int64 = 0
    while !thread.isFinished {
      guard let image = try found(reader).drafts["a"], let count = counts(image)[1] else { continue }
      XCTAssertEqual(Int64(image.groups.count), count, "an edit was found, and not the one before")
      XCTAssertGreaterThanOrEqual(count, last)
      last = count
    }
    XCTAssertEqual(try found(reader).drafts["a"]?.groups.count, 300)
  }

  func testEachChangeOfAFileOrAClaimIsNoticed() throws {
    let living = try typist("a", 1)
    let reader = makeReader()
    var (files, claims) = (try reader.change(), reader.claims)
    XCTAssertEqual(claims.filter { $0 == Int(getpid()) }.count, 1)
    func isNoticed(_ body: () throws -> Void) throws -> (files: Bool, claims: Bool) {
      XCTAssertEqual(try reader.change(), files, "nothing has changed")
      XCTAssertEqual(reader.claims, claims, "nothing has changed")
      try body()
      defer { (files, claims) = ((try? reader.change()) ?? [], reader.claims) }
      return (try reader.change() != files, reader.claims != claims)
    }
    let written = try isNoticed {
      living.append([edited("a", 1, .int(1), .int(2))])
      try living.write()
    }
    XCTAssertTrue(written.files && !written.claims)
    let claimed = try isNoticed { XCTAssertTrue(try living.claim(.scene("a"))) }
    XCTAssertTrue(claimed.claims && !claimed.files)
    XCTAssertTrue(try isNoticed { living.release(.scene("a")) }.claims)
    XCTAssertTrue(try isNoticed { living.note(of: .scene("a")).write([1]) }.files)
    XCTAssertTrue(try isNoticed { try checkpoint(living) }.files)
    XCTAssertTrue(try isNoticed { living.abandon() }.claims)
  }

  func testANoteIsReadAndNotWritten() throws {
    let living = try typist("a", 1)
    XCTAssertTrue(living.note(of: .scene("a")).write([1, 2]))
    let note = makeReader().note(of: .scene("a"))
    XCTAssertEqual(note.read(), [1, 2])
    XCTAssertFalse(note.write([3]))
    XCTAssertEqual(note.read(), [1, 2])
  }
}
