import RepriseLMDB
import RepriseObjectModel
import RepriseTestModels
import RepriseTestSharing
import RepriseTesting
import XCTest

@testable import RepriseEventStore
@testable import RepriseJournal

extension Store {
  /// A handle of a table that is opened late, good for as long as the store is open.
  func opened(_ table: LazyTable) throws -> Table {
    try environment.write { (transaction) throws(StorageError) in try table.table(transaction.view) }
  }
}

/// A store in a folder of its own, gone with the test.
final class TestStore {
  let path: String
  private(set) var store: Store

  var schema: Schema
  private var options: StoreOptions
  let server: TestServer?
  fileprivate(set) var other: TemporaryStore?
  private let followsOtherProcesses: Bool
  private let journals: FlushedJournals

  /// - Parameters:
  ///   - atOnce: Up to so many objects have their indexes at once; those of more are built in slices.
  ///   - server: Shares the log of the store.
  ///   - followsOtherProcesses: Without it, contexts see what is appended as another process when the test says so.
  init(
    _ schema: Schema = Schema(Item.self, Person.self), windowBudget: Int? = nil, atOnce: Int = 2_000,
    cleaningDelay: UInt64? = nil, keyframes: KeyframeSpacing = KeyframeSpacing(), followsOtherProcesses: Bool = false,
    server: TestServer? = nil, journal change: (inout JournalOptions) -> Void = { _ in },
    wallClock: (@Sendable () -> Int64)? = nil
  ) throws {
    path = NSTemporaryDirectory() + "reprise-\(UUID().uuidString)"
    self.schema = schema
    let journals = FlushedJournals(of: path)
    var options = StoreOptions()
    options.isUnflushed = true
    // Test cases live as long as the process, which has room for 128 of the usual maps.
    options.mapSize = 1 << 36
    options.indexing.atOnce = atOnce
    if let cleaningDelay { options.cleaningDelay = cleaningDelay }
    options.keyframes = keyframes
    if let wallClock { options.wallClock = wallClock }
    if let windowBudget { options.windowBudget = windowBudget }
    options.journal.file = journals.watch
    change(&options.journal)
    options.sharing = server?.connect()
    self.options = options
    self.server = server
    self.journals = journals
    self.followsOtherProcesses = followsOtherProcesses
    store = try Store.openNow(path, for: schema, options)
    if !followsOtherProcesses { store.followsOtherProcesses = false }
  }

  func open() throws {
    options.sharing = server?.connect()
    store = try Store.openNow(path, for: schema, options)
    if !followsOtherProcesses { store.followsOtherProcesses = false }
  }

  /// What a new process finds after the power was cut: of the journals what was flushed; the log is always.
  func cutPower() async throws {
    await store.abandon()
    try journals.cutPower()
    try open()
  }

  /// What a new process finds after this one was killed.
  func kill() async throws {
    await store.abandon()
    try open()
  }

  /// Where the only journal is, and what is in it.
  func onlyJournal() throws -> (path: String, bytes: [UInt8]) {
    let names = try FileManager.default.contentsOfDirectory(atPath: path + "/journals")
    XCTAssertEqual(names.count, 1)
    let file = path + "/journals/" + (names.first ?? "")
    return (file, try [UInt8](Data(contentsOf: URL(fileURLWithPath: file))))
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

// MARK: Servers

extension TestStore {
  /// - Parameter isShared: Whether the store shares its log with another server.
  nonisolated(nonsending) static func make(
    _ schema: Schema = Schema(Item.self, Person.self), isShared: Bool,
    journal change: (inout JournalOptions) -> Void = { _ in }
  ) async throws -> TestStore {
    let test = try TestStore(schema, server: isShared ? TestServer() : nil, journal: change)
    if let server = test.server {
      test.other = try await server.join(test.store, for: schema).1
    }
    return test
  }

  /// The store of somebody else: that of the other server, if there is one.
  var storeOfOther: Store { other?.store ?? store }

  /// Returns when both servers have all transactions.
  nonisolated(nonsending) func followAll() async throws {
    try await store.follow(to: storeOfOther.refreshedHead())
    try await storeOfOther.follow(to: store.refreshedHead())
  }

  /// Both servers have the same transactions, and all that comes of them.
  nonisolated(nonsending) func requireAgreement() async throws {
    try await followAll()
    XCTAssertEqual(try store.refreshedHead(), try storeOfOther.refreshedHead())
    for store in [store, storeOfOther] { XCTAssertEqual(try StoreMaintenance.verifyNow(store).problems, []) }
  }
}

extension KeyframeSpacing {
  /// Keyframes at the ends of all blocks of so many versions, whatever the size of the objects.
  static func frequent(_ versions: UInt64 = 1) -> KeyframeSpacing {
    var spacing = KeyframeSpacing()
    (spacing.versions, spacing.bytes) = (versions, .max)
    return spacing
  }
}

extension Store {
  /// Flips a bit in the row of an object in the draft "editor".
  func damageDraftRow(of id: AnyObjectID) throws {
    let table = StoreTables(environment).drafts
    let uuid = withUnsafeBytes(of: (id.uuid.high.bigEndian, id.uuid.low.bigEndian)) { [UInt8]($0) }
    try environment.write { (transaction) throws(StorageError) in
      let prefix = DraftRowKind.change.prefix(JournalRow.hash("editor"))
      for row in try JournalRow.read(transaction.view, table, prefix: prefix) where row.key.suffix(16) == uuid[...] {
        var value = row.value
        value[value.count - 1] ^= 1
        try JournalRow.replace(row.key, with: value, transaction, table)
      }
    }
  }

  /// Takes a draft as another process would, which has it until what is returned goes.
  func claimAsAnotherProcess(_ draft: String) throws -> AnyObject {
    let claims = Claims(path: path + "/data.mdb", folder: path + "/journals")
    XCTAssertTrue(try claims.take(.draft(draft)))
    return claims
  }

  /// The journal of another process that lives.
  func journalOfAnotherProcess() throws -> Journal {
    try Journal.open(path, logID: logID, map: map, options: JournalOptions(), environment, tables)
  }

  /// Keeps the writer busy until the returned function is called: what happens while a save waits.
  func holdWriter() -> @Sendable () -> Void {
    let isHeld = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)
    let store = self
    Task.detached {
      try await store.writer.perform(in: store) {
        isHeld.signal()
        mayGoOn.wait()
      }
    }
    isHeld.wait()
    return { mayGoOn.signal() }
  }

  /// The number that LMDB gave to the last commit.
  func lastCommit() throws -> Int {
    try environment.read { (transaction) throws(StorageError) -> Int in transaction.id }
  }

  /// Appends to the log as another process would: this one is not told.
  ///
  /// - Parameter isLawless: Whether to append what a save would be refused with.
  func appendAsAnotherProcess(
    _ changes: [(object: AnyObjectID, change: ObjectChange)], isLawless: Bool = false
  ) throws {
    let request = SaveRequest(base: log.head, changes: changes)
    try environment.write { transaction in
      var appender = try TransactionAppender(tables, logID: logID, map: map, transaction.view)
      let plan = try SavePlan(request, appender.map, tables, transaction.view)
      if !isLawless, let refusal = plan.refusal { throw refusal }
      _ = try appender.append(plan, request, transaction)
      try appender.finish(transaction)
    }
  }

  /// Adds to the stored schema as a process with newer models would: this one is not told.
  func extendSchemaAsAnotherProcess(_ schema: Schema) throws {
    let models = try ResolvedSchema(schema)
    let stored = map.stored
    let reconciliation = try SchemaReconciliation(models, stored)
    try environment.write { (transaction) throws(StorageError) in
      let empty = SchemaMap(models, StoredSchema())
      var appender = try TransactionAppender(tables, logID: logID, map: empty, transaction.view)
      try appender.append(reconciliation.schema, transaction)
      try appender.finish(transaction)
      try IndexBuilder(tables: tables).build(reconciliation.newProperties, transaction)
    }
  }

  /// Puts a row that is none where the objects are listed whose relationship leads to `target`.
  func damageIndex(of entity: Entity, slot: Int, at target: UniqueID) throws {
    let number = try XCTUnwrap(map.map(entity.interned)?.indexes[slot])
    var key = withUnsafeBytes(of: (number.bigEndian)) { [UInt8]($0) } + [0]
    key += withUnsafeBytes(of: (target.high.bigEndian, target.low.bigEndian)) { [UInt8]($0) } + [7]
    try changeIndexes { (transaction, table) throws(StorageError) in
      try transaction.put(table, key: key.span.bytes, value: key.span.bytes)
    }
  }

  func damageRecords(_ ids: [AnyObjectID], _ map: EntityMap, with value: [UInt8]? = [1, 2, 3]) throws {
    try environment.write { (transaction) throws(StorageError) in
      for id in ids {
        let key = CollectionOfOne(ObjectKey(entity: map.number, uuid: id.uuid))
        if let value {
          try transaction.put(tables.objects, key: key.span.bytes, value: value.span.bytes)
        } else {
          try transaction.delete(tables.objects, key: key.span.bytes)
        }
      }
    }
  }

  func changeIndexes(_ body: (borrowing WriteTransaction, Table) throws(StorageError) -> Void) throws {
    try environment.write { (transaction) throws(StorageError) in try body(transaction, tables.indexes) }
  }

  /// Whatever model knows the property.
  func removeLastIndexRow(of entity: String, _ property: String) throws {
    let stored = try environment.read { (transaction) throws(StorageError) in
      try MetaTable(tables.meta).schema(transaction.view)
    }
    let number = try XCTUnwrap(stored.entity(named: entity)?.property(named: property)?.index)
    let prefix = withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } + [0]
    try changeIndexes { (transaction, table) throws(StorageError) in
      var last: [UInt8] = []
      var cursor = try transaction.view.cursor(table)
      var entry = try cursor.seek(prefix.span.bytes)
      while let found = entry {
        let key = found.key.withUnsafeBytes { [UInt8]($0) }
        guard key.starts(with: prefix) else { break }
        last = key
        entry = try cursor.next()
      }
      try transaction.delete(table, key: last.span.bytes)
    }
  }

  func drafts(ids: ()) -> [String] { (try? drafts.all().filter { !$0.objects.isEmpty }.map(\.id)) ?? [] }
}
