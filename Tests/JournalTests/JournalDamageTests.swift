import Foundation
import RepriseLMDB
import RepriseLog
import RepriseTestSeeds
import XCTest

@testable import RepriseJournal
@testable import RepriseObjectModel

/// Journals cut, altered and made up: never a crash, and no loss beyond what is damaged.
final class JournalDamageTests: JournalTestCase {
  private let journalID = UniqueID(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0005)
  private var path: String { folder + "/" + JournalFolder.name(journalID) }

  /// A file of frames, each with a name, an edit of an object of its own, and a node; flushed up to the frames named,
  /// as the frames behind those say.
  private func sample(frames: Int, flushedAt flushes: Set<Int> = []) throws -> [UInt8] {
    let seed = JournalFormat.seed(log: log, journal: journalID)
    var bytes = JournalFormat.header(log: log, journal: journalID)
    for number in 1...frames {
      if flushes.contains(number - 1) {
        let flushed = JournalFormat.flushed(upTo: UInt64(number - 1), time: 1_000 + UInt64(number))
        JournalFormat.frame(UInt64(number), flushed, seed: seed, to: &bytes)
        continue
      }
      var frame = JournalFrame()
      var track = TextTrack()
      let object = UInt64(number)
      try frame.append(began("draft \(object)"), map, &track)
      try frame.append(edited("draft \(object)", object, .int(0), .int(Int64(object))), map, &track)
      try frame.append(.nodePut(scene: "main", key: "\(object)", bytes: [UInt8(number)]), map, &track)
      JournalFormat.frame(object, frame.payload(time: 1_000 + object), seed: seed, to: &bytes)
    }
    return bytes
  }

  /// Which frames of such a file were recovered, by the drafts and by the nodes.
  private func recovered(_ image: JournalImage) -> Set<Int> {
    let drafts = Set(image.drafts.keys.compactMap { Int($0.dropFirst(6)) })
    for (id, draft) in image.drafts {
      let number = UInt64(id.dropFirst(6)) ?? 0
      XCTAssertEqual(counts(draft), [number: Int64(number)])
    }
    let nodes = Set((image.scenes["main"] ?? [:]).keys.compactMap { Int($0) })
    XCTAssertEqual(drafts, nodes, "screens and edits disagree")
    return drafts
  }

  private func image(of bytes: [UInt8]) throws -> (JournalImage, Journal) {
    try write(bytes, to: path)
    let journal = try open()
    return (try image(journal), journal)
  }

  private func frameEnds(_ bytes: [UInt8]) -> [Int] {
    JournalScan(bytes, log: log, journal: journalID).frames.map(\.content.upperBound)
  }

  func testTruncationAtEveryOffsetKeepsEveryWholeFrame() throws {
    let bytes = try sample(frames: 4)
    let ends = frameEnds(bytes)
    XCTAssertEqual(ends.last, bytes.count)
    for length in 0...bytes.count {
      let (image, journal) = try image(of: Array(bytes.prefix(length)))
      let whole = ends.prefix { $0 <= length }.count
      XCTAssertEqual(recovered(image), Set(1..<whole + 1), "\(length) bytes")
      XCTAssertEqual(journal.problems, whole == 0 ? [.empty(file: JournalFolder.name(journalID))] : [])
      XCTAssertEqual(
        journal.tornBytes, length < JournalFormat.headerSize ? 0 : length - (ends.last { $0 <= length } ?? 48))
      journal.abandon()
    }
  }

  func testAFlippedByteLosesNoMoreThanItsFrame() throws {
    let bytes = try sample(frames: 4, flushedAt: [3])
    let ends = frameEnds(bytes)
    for offset in bytes.indices {
      var damaged = bytes
      damaged[offset] ^= offset % 9 == 8 ? 0xFF : 1 << UInt8(offset % 9)
      let (image, journal) = try image(of: damaged)
      let hit = offset < JournalFormat.headerSize ? nil : ends.firstIndex { offset < $0 }.map { $0 + 1 }
      let expected = Set(1...3).subtracting(hit.map { [$0] } ?? [])
      XCTAssertEqual(recovered(image), expected, "byte \(offset)")
      switch hit {
      case nil: XCTAssertEqual(journal.problems, [.damagedHeader(file: JournalFolder.name(journalID))])
      case 4:
        XCTAssertEqual(journal.problems, [])
        XCTAssertGreaterThan(journal.tornBytes, 0)
      default:
        guard case .damagedFrames = journal.problems.first else { return XCTFail("not reported at \(offset)") }
      }
      journal.abandon()
    }
  }

  func testWhatWasWrittenAfterAFrameThatAPowerCutTookIsLeftOutAndKeptAside() throws {
    // Frames 3 and 6 tell of a flush; 7 and 8 are not flushed.
    let bytes = try sample(frames: 8, flushedAt: [2, 5])
    let ends = frameEnds(bytes)
    for (lost, expected) in [
      (1, [2, 4, 5, 7, 8]), (4, [1, 2, 5, 7, 8]), (5, [1, 2, 4, 7, 8]), (6, [1, 2, 4, 5]), (7, [1, 2, 4, 5]),
      (8, [1, 2, 4, 5, 7]),
    ] {
      var cut = bytes
      for offset in (lost == 1 ? JournalFormat.headerSize : ends[lost - 2])..<ends[lost - 1] { cut[offset] = 0 }
      let (image, journal) = try image(of: cut)
      XCTAssertEqual(recovered(image), Set(expected), "frame \(lost)")
      let name = JournalFolder.name(journalID)
      let isCut = lost == 6 || lost == 7
      XCTAssertEqual(journal.problems.contains(.cutShort(file: name, frames: 8 - lost)), isCut, "frame \(lost)")
      try checkpoint(journal)
      XCTAssertEqual(files(".damaged").count, lost == 8 ? 0 : 1, "frame \(lost)")
      XCTAssertEqual(recovered(try self.image(journal)), Set(expected), "checkpointed without frame \(lost)")
      journal.abandon()
      try tearDownWithError()
      try setUpWithError()
    }
  }

  func testWhereTheFirstFrameIsGoneAndNothingWasFlushedNothingIsUsed() throws {
    var bytes = try sample(frames: 3)
    for offset in 48..<frameEnds(bytes)[0] { bytes[offset] = 0 }
    let (image, journal) = try image(of: bytes)
    XCTAssertEqual(recovered(image), [])
    XCTAssertEqual(journal.problems, [.cutShort(file: JournalFolder.name(journalID), frames: 2)])
  }

  func testAFlushIsToldInTheFileSoThatDamageLaterLosesNoMoreThanItsFrame() throws {
    let first = try open()
    for number: UInt64 in 1...3 {
      first.append([began("draft \(number)"), edited("draft \(number)", number, .int(0), .int(Int64(number)))])
      try first.write()
    }
    try first.flush()
    first.abandon()
    let path = try onlyFile()
    var bytes = try read(path)
    bytes[60] ^= 1
    try write(bytes, to: path)
    XCTAssertEqual(Set(try image(try open()).drafts.keys), ["draft 2", "draft 3"])
  }

  func testDamageUnderALivingProcessIsNoPowerCut() throws {
    var bytes = try sample(frames: 3)
    bytes[frameEnds(bytes)[0] + 30] ^= 4
    XCTAssertEqual(JournalScan(bytes, log: log, journal: journalID).frames.map(\.number), [1])
    let living = JournalScan(bytes, log: log, journal: journalID, isOfLiving: true)
    XCTAssertEqual(living.frames.map(\.number), [1, 3])
  }

  func testATornTailIsLeftOutAndTheRestSurvives() throws {
    let bytes = try sample(frames: 2)
    let (_, journal) = try image(of: Array(bytes.dropLast(3)))
    XCTAssertGreaterThan(journal.tornBytes, 0)
    let before = try read(path).count
    XCTAssertEqual(before, bytes.count - 3, "opening writes nothing")
    journal.append([began("next"), edited("next", 9, .int(0), .int(9))])
    try journal.write()
    journal.abandon()
    let next = try open()
    XCTAssertEqual(next.problems, [])
    let image = try image(next)
    XCTAssertEqual(Set(image.drafts.keys), ["draft 1", "next"])
    XCTAssertEqual(counts(image.drafts["next"]), [9: 9])
    XCTAssertEqual(try read(path).count, before)
    try checkpoint(next)
    XCTAssertEqual(files(), [])
    XCTAssertEqual(files(".damaged"), [], "a torn tail is no damage")
  }

  func testAFrameWithTheLastNumberOrTimeThatThereIsStopsNoProcess() throws {
    let seed = JournalFormat.seed(log: log, journal: journalID)
    var frame = JournalFrame()
    var track = TextTrack()
    try frame.append(began("last"), map, &track)
    for (number, time) in [(UInt64.max, 2_000), (2, .max), (.max, .max), (1 << 62 + 1, 2_000)] as [(UInt64, UInt64)] {
      try tearDownWithError()
      try setUpWithError()
      var bytes = try sample(frames: 1)
      JournalFormat.frame(number, frame.payload(time: time), seed: seed, to: &bytes)
      let (image, journal) = try image(of: bytes)
      XCTAssertEqual(Set(image.drafts.keys), ["draft 1"])
      journal.append([began("next"), edited("next", 9, .int(0), .int(9))])
      try journal.write()
      journal.abandon()
      let next = try open()
      XCTAssertEqual(Set(try self.image(next).drafts.keys), ["draft 1", "next"])
      try checkpoint(next)
    }
  }

  func testNumbersOfTornFramesAreNotGivenAgain() throws {
    let bytes = try sample(frames: 5)
    // The checkpoint took them all, then the last ones were damaged before the file could be removed.
    try write(bytes, to: path)
    var journal = try open()
    var checkpoint = try XCTUnwrap(journal.beginCheckpoint())
    while !checkpoint.isDone { try commitSlice(&checkpoint) }
    journal.abandon()
    let ends = frameEnds(bytes)
    try write(Array(bytes.prefix(ends[1] + 5)), to: path)

    journal = try open()
    journal.append([began("next"), edited("next", 9, .int(0), .int(9))])
    try journal.write()
    journal.abandon()
    XCTAssertEqual(counts(try image(try open()).drafts["next"]), [9: 9])
  }

  func testADamagedJournalIsKeptAsideWhenItIsCheckpointed() throws {
    var bytes = try sample(frames: 4, flushedAt: [3])
    bytes[frameEnds(bytes)[0] + 30] ^= 4
    let (_, journal) = try image(of: bytes)
    XCTAssertEqual(try read(path), bytes)
    journal.append([began("next")])
    try journal.write()
    XCTAssertEqual(try read(path), bytes, "a damaged journal is written to no more")
    try checkpoint(journal)
    XCTAssertEqual(files(), [])
    let kept = files(".damaged")
    XCTAssertEqual(kept, [journalID.description + ".damaged"])
    XCTAssertEqual(try read(folder + "/" + kept[0]), bytes)
    journal.abandon()
    let next = try open()
    XCTAssertEqual(next.problems, [], "what was checkpointed is not reported again")
    XCTAssertEqual(Set(try image(next).drafts.keys), ["draft 1", "draft 3", "next"])
  }

  func testClaimedLengthsAreNotBelieved() throws {
    for length: UInt32 in [0, 1, 8, 9, 0x7FFF_FFFF, 0x8000_0000, .max] {
      var bytes = try sample(frames: 1)
      let end = bytes.count
      var writer = ByteWriter()
      writer.fixed(length)
      writer.fixed(UInt32(7))
      writer.fixed(UInt64(2))
      bytes += writer.bytes
      let (image, journal) = try image(of: bytes)
      XCTAssertEqual(recovered(image), [1])
      XCTAssertEqual(journal.tornBytes, bytes.count - end)
      journal.abandon()
    }
  }

  func testCountsInValidFramesAreNotBelieved() throws {
    // Frames whose checksum is right, with random content: entries that cannot be read are reported.
    var random = SeededGenerator(seed: testSeed(default: 5))
    let seed = JournalFormat.seed(log: log, journal: journalID)
    for round in 0..<400 {
      var bytes = try sample(frames: 1)
      var payload = (0..<Int.random(in: 9...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if round % 2 == 0 {
        // A name, then an entry with a kind that there is.
        payload.replaceSubrange(8..<9, with: [1, 1, 0x61])
        if payload.count > 14 { payload[11] = UInt8(payload.count - 12) }
        if payload.count > 14 { payload[12] = UInt8.random(in: 1...13, using: &random) }
        if payload.count > 14 { payload[13] = 0 }
      }
      JournalFormat.frame(2, payload, seed: seed, to: &bytes)
      let (image, journal) = try image(of: bytes)
      XCTAssertEqual(counts(image.drafts["draft 1"]), [1: 1], "round \(round)")
      try checkpoint(journal)
      XCTAssertEqual(counts(try self.image(journal).drafts["draft 1"]), [1: 1])
      try checkpoint(journal)
      journal.abandon()
    }
  }

  func testMalformedEntriesAreNamed() throws {
    let entries: [([UInt8], String)] = [
      ([1, 9], "the length of a name at byte 2"), ([0, 9], "the length of an entry at byte 2"),
      ([0, 0], "the kind of an entry at byte 2"), ([0, 1, 1], "the place of a name at byte 3"),
    ]
    for (content, expected) in entries {
      var bytes = try sample(frames: 1)
      let payload = [UInt8](repeating: 0, count: 8) + content
      JournalFormat.frame(2, payload, seed: JournalFormat.seed(log: log, journal: journalID), to: &bytes)
      let index = JournalIndex(JournalScan(bytes, log: log, journal: journalID), file: "file")
      XCTAssertEqual(index.problems, [.malformedEntry(file: "file", frame: 2, reason: "expected \(expected)")])
    }
  }

  func testMalformedHeadersAndStepsAreNamed() throws {
    func expect<Result>(_ text: String, _ read: @autoclosure () throws -> Result, line: UInt = #line) {
      XCTAssertThrowsError(try read(), line: line) { XCTAssertEqual("\($0)", "expected \(text)", line: line) }
    }
    let row = DraftHeaderRow(
      header: DraftHeader(id: "a", base: 7), isKnown: true, generation: 1, checkpointed: [:], changedAt: 0)
    let value = row.row(JournalRow.hash("a")).value
    let (content, end) = (value.dropFirst(Checksum.size), value.count)
    func header(_ content: some Sequence<UInt8>) throws -> DraftHeaderRow {
      var writer = ByteWriter.sealing(reserving: 64)
      writer.append([UInt8](content))
      return try DraftHeaderRow(writer.sealed())
    }
    XCTAssertEqual(try header(content).header.id, "a")
    expect("the beginning of a hash at byte \(end - 17)", try header(content.dropLast(10)))
    expect("a count of generations at byte \(end - 4)", try header(content.dropLast(4)))
    expect("a count of properties at byte \(end + 1)", try header(content.dropLast(3) + [1, 5, 0, 0x80]))
    expect("a count of lost rows at byte \(end - 1)", try header(content.dropLast()))
    expect("the end of a draft's header at byte \(end)", try header(content + [0]))
    func step(_ bases: [UInt8], _ field: Change.Field? = nil) throws {
      var writer = ByteWriter()
      writer.append(bases)
      writer.change(.updated, ObjectAddress(entity: 2, uuid: object(1).uuid))
      if let field { writer.field(5, field) }
      try writer.bytes.withUnsafeBytes { try DraftStep($0).verify() }
    }
    // An empty text.
    expect("a text for each splice at byte 0", try step([1, 0, 6, 0]))
    expect("a value that was not erased at byte 0", try step([0], .redacted))
  }

  func testRowsUnderTheKeysOfOthersAreNamed() throws {
    let journal = try open()
    journal.append([began("a")] + (1...2).map { edited("a", $0, .int(0), .int(1)) })
    journal.append([began("b"), edited("b", 1, .int(0), .int(1))])
    try checkpoint(journal)
    func rows(_ kind: DraftRowKind, of draft: String) throws -> [JournalRow] {
      try environment.read { transaction throws(StorageError) in
        try JournalRow.read(transaction.view, tables.drafts, prefix: kind.prefix(JournalRow.hash(draft)))
      }
    }
    func assertDamaged(_ reason: String, _ row: JournalRow, as other: JournalRow) throws {
      try environment.write { transaction throws(StorageError) in
        try JournalRow.replace(row.key, with: other.value, transaction, tables.drafts)
      }
      let problems = try environment.read { transaction throws(StorageError) in
        try DraftRows(.draft("a"), transaction.view, tables.drafts).problems
      }
      XCTAssertEqual(problems, [.damagedRow(table: tables.drafts.name, reason: "expected \(reason) at byte 0")])
      try environment.write { transaction throws(StorageError) in
        try JournalRow.replace(row.key, with: row.value, transaction, tables.drafts)
      }
    }
    let changes = try rows(.change, of: "a")
    try assertDamaged("a change of the object that the key of the row names", changes[0], as: changes[1])
    let headers = try rows(.header, of: "a") + rows(.header, of: "b")
    try assertDamaged("the header of this draft", headers[0], as: headers[1])
  }

  func testRandomBytesAreNoJournal() throws {
    var random = SeededGenerator(seed: testSeed(default: 6))
    for _ in 0..<100 {
      let count = Int.random(in: 0...2_000, using: &random)
      let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      for bytes in [noise, JournalFormat.header(log: log, journal: journalID) + noise] {
        let (image, journal) = try image(of: bytes)
        XCTAssertEqual(image.drafts.count, 0)
        XCTAssertEqual(image.scenes.count, 0)
        journal.abandon()
      }
    }
  }

  func testZeroesBehindTheLastFrameAreATornTail() throws {
    let bytes = try sample(frames: 2)
    let (image, journal) = try image(of: bytes + [UInt8](repeating: 0, count: 4_096))
    XCTAssertEqual(recovered(image), [1, 2])
    XCTAssertEqual(journal.problems, [])
    XCTAssertEqual(journal.tornBytes, 4_096)
  }

  func testOldFramesBehindNewerOnesAreNotReadAgain() throws {
    let bytes = try sample(frames: 3)
    let ends = frameEnds(bytes)
    // Frame 3, then the rest of what was once there.
    let stale = Array(bytes[..<48]) + Array(bytes[ends[1]...]) + Array(bytes[48..<ends[1]])
    let (image, journal) = try image(of: stale)
    XCTAssertEqual(recovered(image), [3])
    XCTAssertEqual(journal.problems, [])
  }

  func testAFrameOfAnotherFileIsNoFrame() throws {
    let other = UniqueID(high: journalID.high, low: journalID.low + 1)
    var bytes = JournalFormat.header(log: log, journal: journalID)
    bytes += try sample(frames: 2).dropFirst(48)
    try write(bytes, to: folder + "/" + JournalFolder.name(other))
    let misnamed = try open()
    XCTAssertEqual(misnamed.problems, [.misnamed(file: JournalFolder.name(other), journal: journalID)])
    misnamed.abandon()
    try FileManager.default.removeItem(atPath: folder + "/" + JournalFolder.name(other))

    var moved = JournalFormat.header(log: log, journal: other)
    moved += try sample(frames: 2).dropFirst(48)
    try write(moved, to: folder + "/" + JournalFolder.name(other))
    XCTAssertEqual(try image(try open()).drafts.count, 0)
  }

  func testAForeignJournalIsLeftAlone() throws {
    let bytes = try sample(frames: 2)
    try write(bytes, to: path)
    let other = UniqueID()
    let journal = try open(log: other)
    XCTAssertEqual(journal.problems, [.foreignLog(file: JournalFolder.name(journalID), log: log)])
    XCTAssertEqual(try image(journal).drafts.count, 0)
    journal.append([began("a"), .draftEnded(draft: "a")])
    try checkpoint(journal)
    try journal.close()
    XCTAssertEqual(try read(path), bytes)
    XCTAssertEqual(recovered(try image(try open())), [1, 2], "it is there for its own store")
  }

  func testANewerJournalIsLeftAlone() throws {
    var bytes = try sample(frames: 2)
    bytes[8] = 2
    let sum = bytes.withUnsafeBytes { Checksum.crc32c(UnsafeRawBufferPointer(rebasing: $0[..<44])) }
    for byte in 0..<4 { bytes[44 + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * byte)) }
    let (image, journal) = try image(of: bytes)
    XCTAssertEqual(journal.problems, [.newerFormat(file: JournalFolder.name(journalID), version: 2)])
    XCTAssertEqual(image.drafts.count, 0)
    journal.append([began("a")])
    try checkpoint(journal)
    try journal.close()
    XCTAssertEqual(try read(path), bytes)
  }

  /// The bytes of a journal as versions before 0.1 wrote them: with another magic, which no frame's checksum covers.
  private func prerelease(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    func put(_ sum: UInt32, at offset: Int) {
      for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * byte)) }
    }
    bytes.replaceSubrange(..<8, with: Array("REPRISEJ".utf8))
    put(Array(bytes[..<44]).withUnsafeBytes { Checksum.crc32c($0) }, at: 44)
    let ids = Array(bytes[12..<44])
    var start = JournalFormat.headerSize
    while start < bytes.count {
      let end = start + 16 + Int(bytes[start]) + Int(bytes[start + 1]) << 8
      put((ids + bytes[start + 8..<end]).withUnsafeBytes { Checksum.crc32c($0) }, at: start + 4)
      start = end
    }
    return bytes
  }

  func testAJournalOfAVersionBeforeTheFirstReleaseIsLeftAlone() throws {
    let bytes = prerelease(try sample(frames: 2))
    let (image, journal) = try image(of: bytes)
    XCTAssertEqual(journal.problems, [.prereleaseFormat(file: JournalFolder.name(journalID))])
    XCTAssertEqual(image.drafts.count, 0)
    journal.append([began("a")])
    try checkpoint(journal)
    try journal.close()
    XCTAssertEqual(try read(path), bytes)
  }

  /// Its frames would be read as what they are not.
  func testNoFrameOfAnotherVersionIsReadBehindADamagedHeader() throws {
    let current = try sample(frames: 2)
    var bytes = prerelease(current)
    bytes[3] ^= 1
    let (unread, first) = try image(of: bytes)
    XCTAssertEqual(unread.drafts.count, 0)
    first.abandon()
    bytes = current
    bytes[3] ^= 1
    let (read, second) = try image(of: bytes)
    XCTAssertEqual(recovered(read), [1, 2])
    second.abandon()
  }

  func testAnEmptyJournalSaysNothingAboutDrafts() throws {
    let first = try open()
    first.append([began("a"), edited("a", 1, .int(0), .int(1))])
    try checkpoint(first)
    try first.close()
    for name in files() { try FileManager.default.removeItem(atPath: folder + "/" + name) }

    for bytes in [[], JournalFormat.header(log: log, journal: journalID)] {
      let (image, journal) = try image(of: bytes)
      XCTAssertEqual(journal.problems, [.empty(file: JournalFolder.name(journalID))])
      XCTAssertEqual(counts(image.drafts["a"]), [1: 1])
      try checkpoint(journal)
      XCTAssertEqual(files(), [])
      journal.abandon()
    }
  }

  func testAJournalThatOthersMayWriteIsRefused() throws {
    let bytes = try sample(frames: 1)
    try write(bytes, to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o620], ofItemAtPath: path)
    let journal = try open()
    XCTAssertEqual(journal.problems, [.notPrivate(file: JournalFolder.name(journalID))])
    XCTAssertEqual(try image(journal).drafts.count, 0)
    XCTAssertEqual(try read(path), bytes)
  }

  func testAJournalOfAnotherUserIsRefused() throws {
    try XCTSkipIf(geteuid() != 0, "only root gives files to others")
    let bytes = try sample(frames: 1)
    try write(bytes, to: path)
    XCTAssertEqual(chown(path, 12_345, 12_345), 0)
    let journal = try open()
    XCTAssertEqual(journal.problems, [.notPrivate(file: JournalFolder.name(journalID))])
    XCTAssertEqual(try image(journal).drafts.count, 0)
    XCTAssertEqual(try read(path), bytes)
  }

  func testALinkIsNotFollowed() throws {
    try write(try sample(frames: 1), to: directory + "/elsewhere")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: directory + "/elsewhere")
    let journal = try open()
    XCTAssertEqual(journal.problems, [.notPlain(file: JournalFolder.name(journalID))])
  }

  func testAJournalRefusedAfterOpeningIsAProblemUntilItIsTrusted() throws {
    let journal = try open()
    try write(try sample(frames: 1), to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o620], ofItemAtPath: path)
    XCTAssertEqual(try journal.othersJournals().count, 0)
    let refused = [JournalProblem.notPrivate(file: JournalFolder.name(journalID))]
    XCTAssertEqual(journal.problems, refused)
    XCTAssertEqual(try journal.recovery().problems, refused)
    XCTAssertEqual(try journal.recovery().adding([]).problems, refused)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    XCTAssertEqual(try journal.othersJournals().count, 0)
    XCTAssertEqual(journal.problems, [])
    XCTAssertEqual(recovered(try image(journal)), [1])
  }

  func testOtherFilesInTheFolderAreLeftAlone() throws {
    for name in ["notes.txt", "x.journal", "\(journalID).damaged", ".journal"] {
      try write([1, 2, 3], to: folder + "/" + name)
    }
    let journal = try open()
    journal.append([began("a")])
    try checkpoint(journal)
    XCTAssertEqual(journal.problems, [])
    XCTAssertEqual(files(""), [".journal", "\(journalID).damaged", "notes.txt", "x.journal"])
  }

  func testAnUnfinishedFileOfADeadProcessIsRemoved() throws {
    try write([1, 2, 3], to: folder + "/\(journalID).unfinished")
    _ = try open()
    XCTAssertEqual(files(""), [])
  }

  func testADamagedRowCostsNoMoreThanItself() throws {
    let journal = try open()
    journal.append([began("a")] + (1...5).map { edited("a", $0, .int(0), .int(Int64($0))) })
    journal.append((1...5).map { .nodePut(scene: "main", key: "\($0)", bytes: [1]) })
    try checkpoint(journal)
    let all = try image(journal)
    for table in [tables.drafts, tables.archives] {
      let keys = try environment.read { transaction throws(StorageError) in
        try JournalRow.read(transaction.view, table, prefix: []).map { ($0.key + [0, 0], $0.value) }
      }
      for (key, value) in keys {
        var damaged = value
        damaged[value.count / 2] ^= 1
        try environment.write { transaction throws(StorageError) in
          try transaction.put(table, key: key.span.bytes, value: damaged.span.bytes)
        }
        let image = try image(journal)
        XCTAssertTrue(image.problems.contains { if case .damagedRow = $0 { true } else { false } })
        let changes = image.drafts["a"]?.changes.count ?? 5
        XCTAssertGreaterThanOrEqual(changes + (image.scenes["main"]?.count ?? 0), 9)
        try environment.write { transaction throws(StorageError) in
          try transaction.put(table, key: key.span.bytes, value: value.span.bytes)
        }
      }
    }
    XCTAssertEqual(try image(journal).scenes, all.scenes)
  }
}
