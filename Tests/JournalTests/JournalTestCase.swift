import Foundation
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestJournal
import RepriseTestLog
import XCTest

@testable import RepriseJournal

/// A test with a store's environment and a folder of journals of its own, and time that stands still.
class JournalTestCase: XCTestCase {
  private(set) var directory = ""
  private(set) var environment: Environment!
  private(set) var tables: StoreTables!
  private(set) var map: SchemaMap!
  let log = LogFixture.logID

  override func setUpWithError() throws {
    directory = NSTemporaryDirectory() + "reprise-journal-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    var options = Environment.Options(tables: StoreTables.names)
    options.isUnflushed = true
    environment = try Environment.open(directory: directory, options)
    tables = StoreTables(environment)
    map = try LogFixture.map()
  }

  override func tearDownWithError() throws {
    environment.close()
    try FileManager.default.removeItem(atPath: directory)
  }

  // MARK: Journals

  var folder: String { directory + "/journals" }

  func open(
    log: UniqueID? = nil, map: SchemaMap? = nil, _ change: (inout JournalOptions) -> Void = { _ in }
  ) throws -> Journal {
    var options = JournalOptions(clock: VirtualClock())
    // Each draft and each scene is a slice of its own.
    options.checkpointSlice = 1
    change(&options)
    let transaction = try environment.beginRead()
    return try Journal.open(
      directory: folder, claims: directory + "/data.mdb", log: log ?? self.log, map: map ?? self.map, tables: tables,
      view: transaction.view,
      options: options)
  }

  func image(_ journal: Journal, map: SchemaMap? = nil) throws -> JournalImage {
    let recovery = try journal.recovery()
    let transaction = try environment.beginRead()
    return try recovery.image(transaction.view, map ?? self.map)
  }

  func draft(_ journal: Journal, _ id: String) throws -> DraftImage? {
    let recovery = try journal.recovery(of: .draft(id))
    let transaction = try environment.beginRead()
    guard case .readable(let image) = try recovery.draft(.draft(id), transaction.view, map)?.draft else { return nil }
    return image
  }

  /// All slices, each in a transaction of its own.
  func checkpoint(_ journal: Journal, onlyHeld: Bool = false) throws {
    guard var checkpoint = try onlyHeld ? journal.beginCheckpointOfHeld() : journal.beginCheckpoint() else { return }
    while !checkpoint.isDone { try commitSlice(&checkpoint) }
    try journal.didCheckpoint(checkpoint)
  }

  /// Releases a draft, and returns once others may claim it: the journal's thread may be in the way.
  func release(_ draft: String, in journal: Journal) throws { try release([.draft(draft)], in: journal) }

  func release(_ topics: [JournalTopic], in journal: Journal) throws {
    for topic in topics { journal.release(topic) }
    for _ in 0..<100_000 {
      guard journal.core.claims.hasLeaving else { return }
      usleep(100)
    }
    XCTFail("they were not released")
  }

  /// As a context takes a draft; false if somebody has it.
  func take(_ draft: String, in journal: Journal) throws -> Bool { try take(.draft(draft), in: journal) }

  func take(_ topic: JournalTopic, in journal: Journal) throws -> Bool {
    guard try journal.claim(topic) else { return false }
    let transaction = try environment.beginRead()
    let checkpoint = try journal.takeover(of: topic, transaction.view)
    if let checkpoint {
      try environment.write { transaction throws(StorageError) in try checkpoint.write(into: transaction) }
    }
    return true
  }

  func commitSlice(_ checkpoint: inout JournalCheckpoint) throws {
    let slice = checkpoint
    try environment.write { transaction throws(StorageError) in try slice.write(into: transaction) }
    checkpoint.didCommit()
  }

  func consume(_ journal: Journal, _ draft: String, upTo generation: UInt64) throws {
    try environment.write { transaction throws(StorageError) in
      try Journal.consume(.draft(draft), upTo: generation, in: journal.journals, journal.tables, transaction)
    }
  }

  // MARK: Files

  func files(_ suffix: String = ".journal") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(suffix) }.sorted()
  }

  /// The only journal.
  func onlyFile(file: StaticString = #filePath, line: UInt = #line) throws -> String {
    XCTAssertEqual(files().count, 1, file: file, line: line)
    return folder + "/" + (try XCTUnwrap(files().first, file: file, line: line))
  }

  func read(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }

  func write(_ bytes: [UInt8], to path: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
    XCTAssertTrue(isMade)
  }

  // MARK: Entries

  func object(_ number: UInt64) -> AnyObjectID { AnyObjectID(LogSample.entity.interned, LogFixture.object(number)) }

  func began(_ draft: String, generation: UInt64 = 1, parent: String? = nil, base: Position = 7) -> JournalEntry {
    .draftBegan(
      DraftHeader(id: draft, parent: parent, author: "ada", base: base, name: "Items"), generation: generation)
  }

  func edited(
    _ draft: String, _ object: UInt64, _ old: PropertyValue, _ new: PropertyValue, slot: Int = LogSample.count,
    generation: UInt64 = 1, startsGroup: Bool = true, name: String? = nil
  ) -> JournalEntry {
    .draftEdited(
      draft: draft, generation: generation, startsGroup: startsGroup, groupName: name,
      step(object, old, new, slot: slot))
  }

  func edited(_ draft: String, _ edit: DraftEdit, generation: UInt64 = 1, startsGroup: Bool = true) -> JournalEntry {
    .draftEdited(draft: draft, generation: generation, startsGroup: startsGroup, groupName: nil, edit)
  }

  func step(_ object: UInt64, _ old: PropertyValue, _ new: PropertyValue, slot: Int = LogSample.count) -> DraftEdit {
    DraftEdit(object: self.object(object), change: .updated([PropertyChange(slot: slot, old: old, new: new)]))
  }

  /// The new number of each object whose count the draft changes.
  func counts(_ image: DraftImage?) -> [UInt64: Int64] {
    var counts: [UInt64: Int64] = [:]
    for (object, change) in image?.unread?.all ?? image?.changes ?? [:] {
      guard case .updated(let changes) = change,
        case .int(let new)? = changes.first(where: { $0.slot == LogSample.count })?.new
      else { continue }
      counts[object.uuid.low & 0xFFFF_FFFF] = new
    }
    return counts
  }
}
