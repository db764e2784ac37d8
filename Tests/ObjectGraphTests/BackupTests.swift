import Foundation
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseSystem
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Copies of a store at one moment, and files without free pages.
@MainActor
final class BackupTests: XCTestCase {
  private var test: TestStore!
  private var target = ""

  override func setUp() async throws {
    test = try TestStore()
    let target = test.path + "-backup"
    self.target = target
    addTeardownBlock { try? FileManager.default.removeItem(atPath: target) }
  }

  private func opened(_ path: String) throws -> Store {
    var options = StoreOptions()
    options.mapSize = 1 << 36
    return try Store.openNow(path, for: Schema(Item.self, Person.self), options)
  }

  private func assertSound(_ store: Store, line: UInt = #line) async throws {
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems, [], line: line)
  }

  private func failure(_ body: () async throws -> Void) async -> StoreError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  // MARK: Backups

  /// Two backups have the same number of commits, and if they have one size, the same meta pages.
  func testABackupCopiedOverAnotherOneIsNoticed() async throws {
    let later = test.path + "-later"
    addTeardownBlock { try? FileManager.default.removeItem(atPath: later) }
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "early"))
    try await context.save()
    _ = try await StoreMaintenance.backup(test.store, to: target)
    item.name = "later"
    try await context.save()
    _ = try await StoreMaintenance.backup(test.store, to: later)

    let copy = try opened(target)
    XCTAssertEqual(try RootContext(copy).fetch(Fetch<Item>()).map(\.name), ["early"])
    // In place, as `cp` does.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: target + "/data.mdb"))
    try file.write(contentsOf: Data(contentsOf: URL(fileURLWithPath: later + "/data.mdb")))
    try file.close()
    XCTAssertThrowsError(try copy.refreshedHead()) {
      guard case StoreError.replaced = $0 else { return XCTFail("\($0)") }
    }
    await copy.abandon()
  }

  func testABackupEndsWithOneTransactionWhileOthersGoOn() async throws {
    let context = RootContext(test.store)
    context.group(nil) { for number in 0..<3_000 { context.insert(Item(name: "\(number)")) } }
    try await context.save()
    let store = test.store
    let saving = Task.detached {
      let other = RootContext(store, isolation: nil)
      var count = 0
      while !Task.isCancelled {
        count += 1
        other.insert(Person(name: "\(count)"))
        try await other.save()
      }
      return count
    }
    while store.log.head < 20 { await Task.yield() }
    let steps = Guarded<[BackupProgress]>([])
    let report = try await StoreMaintenance.backup(store, to: target) { step in steps.withLock { $0.append(step) } }
    while store.log.head < report.position + 5 { await Task.yield() }
    saving.cancel()
    let count = try await saving.value
    XCTAssertLessThan(report.position, store.log.head)

    let copy = try opened(target)
    XCTAssertEqual(copy.log.head, report.position)
    XCTAssertEqual(try copy.log.hash(at: report.position), try store.log.hash(at: report.position))
    let people = try RootContext(copy).count(Fetch<Person>())
    XCTAssertEqual(UInt64(people), report.position.number - 2)
    XCTAssertLessThan(people, count)
    XCTAssertEqual(try RootContext(copy).count(Fetch<Item>()), 3_000)
    XCTAssertEqual(report.missingJournals, [])
    let last = try XCTUnwrap(steps.withLock { $0 }.last)
    XCTAssertEqual(last.bytes, report.bytes)
    XCTAssertEqual(last.fractionCompleted, 1)
    // Both go on.
    let more = RootContext(copy)
    more.insert(Item(name: "more"))
    try await more.save()
    try await assertSound(copy)
    try await copy.close()
  }

  func testWhatIsUncommittedIsInABackupOnce() async throws {
    for seed in testSeeds(3) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore()
      let context = try RootContext(test.store, draft: "editor")
      var number = 0
      func insert() {
        context.insert(Item(name: "\(number)"))
        number += 1
      }
      for round in 0..<12 {
        let path = test.path + "-\(round)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for _ in 0..<Int.random(in: 0..<20, using: &random) { insert() }
        let store = test.store
        let backup = Task.detached { try await StoreMaintenance.backup(store, to: path) }
        let before = number
        for _ in 0..<Int.random(in: 0..<10, using: &random) {
          insert()
          switch Int.random(in: 0..<5, using: &random) {
          case 0: try await context.save()
          case 1: try await store.journals.checkpoint()
          case 2: try store.journal.write()
          default: await Task.yield()
          }
        }
        _ = try await backup.value
        let copy = try opened(path)
        let names = try RootContext(copy, draft: "editor").fetch(Fetch<Item>()).map(\.name)
        XCTAssertEqual(names.count, Set(names).count, "seed \(seed), round \(round)")
        XCTAssertEqual(Set(names), Set((0..<names.count).map { "\($0)" }), "seed \(seed), round \(round)")
        XCTAssertGreaterThanOrEqual(names.count, before, "seed \(seed), round \(round)")
        try await copy.close()
      }
    }
  }

  func testADirectoryWithSomethingInItIsLeftAlone() async throws {
    let file = target + "/letter.txt"
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
    try Data("Dear".utf8).write(to: URL(fileURLWithPath: file))
    let store = test.store
    let failure = await failure { try await StoreMaintenance.backup(store, to: target) }
    XCTAssertEqual(
      failure?.description,
      """
      \(target) is not a Reprise store: it holds 'letter.txt', and a new store needs an empty directory. Check the path.
      """)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: target), ["letter.txt"])
    guard case .notAStore = await self.failure({ try await StoreMaintenance.backup(store, to: test.path) }) else {
      return XCTFail("not refused")
    }
    guard case .notFound = await self.failure({ try await StoreMaintenance.backup(store, to: target + "/no/where") })
    else {
      return XCTFail("not refused")
    }
    try await store.close()
    guard case .closed = await self.failure({ try await StoreMaintenance.backup(store, to: target + "2") }) else {
      return XCTFail("not refused")
    }
  }

  func testABackupThatWasCutOffIsNoStore() async throws {
    let context = try RootContext(test.store, draft: "editor")
    context.insert(Item(name: "draft"))
    _ = try await StoreMaintenance.backup(test.store, to: target)
    try FileManager.default.moveItem(atPath: target + "/data.mdb", toPath: target + "/data.mdb.unfinished")
    XCTAssertThrowsError(try opened(target)) { error in
      guard case .notAStore = error as? StoreError else { return XCTFail("\(error)") }
    }
  }

  func testABackupThatFailsLeavesNothing() async throws {
    // A data file that is none: LMDB opened it before.
    let context = RootContext(test.store)
    context.insert(Item(name: "0"))
    try await context.save()
    let journals = test.path + "/journals"
    try? FileManager.default.removeItem(atPath: journals)
    try Data().write(to: URL(fileURLWithPath: journals))
    let store = test.store
    let reason = await failure { try await StoreMaintenance.backup(store, to: target) }
    guard case .journal = reason else { return XCTFail("\(reason as Any)") }
    XCTAssertFalse(FileManager.default.fileExists(atPath: target))
  }

  func testDraftsBesideAnOlderBackupAreKeptAndSayWhatTheyRestOn() async throws {
    let context = RootContext(test.store)
    let item = context.insert(Item(name: "one"))
    try await context.save()
    _ = try await StoreMaintenance.backup(test.store, to: target)
    item.name = "two"
    try await context.save()
    let editor = try RootContext(test.store, draft: "editor")
    try editor.object(item.id).valueInDollars = 7
    let id = item.id
    try test.store.journal.flush()
    await test.store.abandon()
    // The data comes back, and the journals stay.
    try FileManager.default.removeItem(atPath: test.path + "/data.mdb")
    try FileManager.default.copyItem(atPath: target + "/data.mdb", toPath: test.path + "/data.mdb")
    try test.open()
    let again = try RootContext(test.store, draft: "editor")
    XCTAssertEqual(try again.object(id).valueInDollars, 7)
    XCTAssertEqual(try again.object(id).name, "one")
    XCTAssertEqual(again.draftProblems.count, 1)
    XCTAssertEqual(try test.store.drafts.all().map(\.id), ["editor"])
    try await again.save()
    try await assertSound(test.store)
  }

  /// The store goes on from the older copy, so that the position that the draft rests on is another transaction's.
  func testADraftThatRestsOnAnotherTransactionThanTheLogHasIsKeptAndSaysSo() async throws {
    for isCheckpointed in [false, true] {
      test = try TestStore()
      target = NSTemporaryDirectory() + "reprise-backup-\(UUID().uuidString)"
      let context = RootContext(test.store)
      let id = context.insert(Item(name: "one")).id
      try await context.save()
      _ = try await StoreMaintenance.backup(test.store, to: target)
      try context.object(id).name = "two"
      let base = try await context.save()
      for draft in ["root", "unread"] {
        let editor = try RootContext(test.store, draft: draft)
        try editor.object(id).valueInDollars = 7
      }
      try test.store.journal.flush()
      XCTAssertEqual(try test.store.drafts.all().map(\.problems), [[], []])
      await test.store.abandon()
      try FileManager.default.removeItem(atPath: test.path + "/data.mdb")
      try FileManager.default.moveItem(atPath: target + "/data.mdb", toPath: test.path + "/data.mdb")
      try test.open()
      let other = RootContext(test.store)
      try other.object(id).name = "other"
      let position = try await other.save()
      XCTAssertEqual(position, base)
      if isCheckpointed { try await test.store.journals.checkpoint() }
      let root = try RootContext(test.store, draft: "root")
      XCTAssertEqual(root.draftProblems.count, 1)
      XCTAssertTrue(root.draftProblems.first?.contains("another transaction \(base)") ?? false, "\(root.draftProblems)")
      XCTAssertEqual(try root.object(id).valueInDollars, 7, "its edits are there")
      XCTAssertEqual(try root.object(id).name, "other")
      for info in try test.store.drafts.all() {
        XCTAssertEqual(info.problems.count, 1, info.id)
        XCTAssertEqual(info.objects, [id.any], info.id)
      }
      try await root.save()
      try test.store.drafts.discard("unread")
      XCTAssertEqual(try test.store.drafts.all().map(\.id), [])
      try await assertSound(test.store)
      try? FileManager.default.removeItem(atPath: target)
    }
  }

  func testABackupLeavesOutJournalsThatOthersMayWrite() async throws {
    let other = try test.store.journalOfAnotherProcess()
    other.append([.nodePut(scene: "window", key: "/a", bytes: [1])])
    try other.flush()
    let folder = test.path + "/journals"
    let journal = try XCTUnwrap(FileManager.default.contentsOfDirectory(atPath: folder).first)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder + "/" + journal)
    let link = JournalFolder.name(UniqueID())
    try FileManager.default.createSymbolicLink(atPath: folder + "/" + link, withDestinationPath: "/dev/null")
    let report = try await StoreMaintenance.backup(test.store, to: target)
    XCTAssertEqual(Set(report.missingJournals), [journal, link])
    XCTAssertFalse(FileManager.default.fileExists(atPath: target + "/journals"))
    other.abandon()
  }

  // MARK: Compaction

  func testACompactedStoreIsSmallerAndTheSame() async throws {
    let context = try RootContext(test.store, draft: "editor")
    context.group(nil) { for number in 0..<5_000 { context.insert(Item(name: "\(number)")) } }
    try await context.save()
    // What a backup keeps from being reused makes the file grow.
    for round in 0..<10 {
      context.group(nil) { for item in (try? context.fetch(Fetch<Item>())) ?? [] { item.valueInDollars = round } }
      try await context.save()
    }
    context.insert(Item(name: "draft"))
    let (head, hash) = (test.store.log.head, try test.store.log.hash(at: test.store.log.head))
    try test.store.journal.flush()
    guard case .inUse = await failure({ try await StoreMaintenance.compact(test.path) }) else {
      return XCTFail("not refused")
    }
    await test.store.abandon()
    try Data(count: 100).write(to: URL(fileURLWithPath: test.path + "/data.mdb.unfinished"))
    let steps = Guarded<[Double]>([])
    let report = try await StoreMaintenance.compact(test.path) { done in steps.withLock { $0.append(done) } }
    XCTAssertLessThan(report.bytesAfter, report.bytesBefore)
    let told = steps.withLock { $0 }
    XCTAssertEqual([told.first, told.last], [0, 1])
    XCTAssertEqual(told, told.sorted())
    let files = try FileManager.default.contentsOfDirectory(atPath: test.path).sorted()
    XCTAssertEqual(files, ["data.mdb", "journals", "lock.mdb"])
    let mode = try FileManager.default.attributesOfItem(atPath: test.path + "/data.mdb")[.posixPermissions]
    XCTAssertEqual(mode as? Int, 0o600)
    let again = try await StoreMaintenance.compact(test.path)
    XCTAssertEqual(again.bytesAfter, report.bytesAfter)
    try test.open()
    XCTAssertEqual(test.store.log.head, head)
    XCTAssertEqual(try test.store.log.hash(at: head), hash)
    XCTAssertEqual(try RootContext(test.store, draft: "editor").changes.inserted.count, 1)
    try await assertSound(test.store)
    let more = RootContext(test.store)
    more.insert(Item(name: "more"))
    try await more.save()
    try await assertSound(test.store)
  }

  func testAStoreThatAnotherProcessHasOpenIsNotCompacted() async throws {
    let context = RootContext(test.store)
    context.insert(Item(name: "0"))
    try await context.save()
    try await test.store.close()
    let other = Process()
    other.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // What LMDB does.
    other.arguments = [
      "python3", "-c",
      "import fcntl,sys; f=open(sys.argv[1],'rb+'); fcntl.lockf(f,fcntl.LOCK_SH,1,0); print('locked',flush=True); "
        + "sys.stdin.read()",
      test.path + "/lock.mdb",
    ]
    let (input, output) = (Pipe(), Pipe())
    (other.standardInput, other.standardOutput) = (input, output)
    try other.run()
    _ = output.fileHandleForReading.availableData
    let path = test.path
    let reason = await failure { try await StoreMaintenance.compact(path) }
    try input.fileHandleForWriting.close()
    other.waitUntilExit()
    guard case .inUseElsewhere = reason else { return XCTFail("\(reason as Any)") }
    _ = try await StoreMaintenance.compact(path)
    try test.open()
    XCTAssertEqual(try RootContext(test.store).count(Fetch<Item>()), 1)
  }

  func testADamagedStoreIsNotCompacted() async throws {
    let context = RootContext(test.store)
    for number in 0..<200 { context.insert(Item(name: "\(number)")) }
    try await context.save()
    try await test.store.close()
    let path = test.path + "/data.mdb"
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let page = Int(getpagesize())
    for place in 3 * page..<bytes.count - page where place % 97 == 0 { bytes[place] ^= 0x5A }
    try bytes.write(to: URL(fileURLWithPath: path))
    let directory = test.path
    let reason = await failure { try await StoreMaintenance.compact(directory) }
    guard case .damaged = reason else { return XCTFail("\(reason as Any)") }
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path)), bytes)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path + ".unfinished"))
  }
}
