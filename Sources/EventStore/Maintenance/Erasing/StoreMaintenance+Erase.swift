import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension StoreMaintenance {
  /// Erases past values of objects from a store. The log keeps only the values that the objects have now, and no value
  /// of a deleted object. No file of the store has a byte of the erased values afterwards.
  ///
  /// ```swift
  /// try await StoreMaintenance.erase([Erasure(of: person.id.any)], in: path)
  /// ```
  ///
  /// **Reach.** The erasure of any property reaches all derived attributes of the object, because their past values may
  /// have been computed from it. The erasure reaches an object under all names that it had. It also reaches the object
  /// before a migration moved it. It reaches parts that migrations extracted from the object or inlined into it, and
  /// the object that it was extracted from. It reaches changes that a remote source has sent, but not changes that
  /// still wait to be sent. A blob is erased with its bytes, unless the log, an object, a draft or a screen still
  /// refers to it. This includes blobs that the program has stored and not used.
  ///
  /// **Present values.** To erase a present value, first assign another value or delete the object, and save. An
  /// attribute that a migration removed keeps its last value until the object is deleted.
  ///
  /// **Effects.** The log keeps its transactions and hashes, so ``verify(_:against:)`` and head hashes that you kept
  /// still hold. A ``LoggedTransaction`` reports that a value is erased, and a context at a past position shows the
  /// property's default. The transaction can no longer be reverted. Indexes over the properties lose their history, and
  /// the next opening begins a new one. Drafts that edit the objects are discarded, because they contain earlier
  /// values. Rows of projections are made again when the projections are installed, unless
  /// ``TransactionLog/retain(_:progress:)`` has dropped the transactions that they follow from.
  ///
  /// **Not erased.** Authors, names of contexts and transactions, and metadata stay, because transactions of other
  /// objects share them. So use the ID of a user as author instead of the name. The states of screens stay, too. Copies
  /// outside the store also stay: backups, free space of the disk, and data on a server.
  ///
  /// **Cost.** The call checks the structure of the pages like ``check(_:)``, then writes the data file again row by
  /// row, and replaces the old one. It needs disk space for the copy. It reads the log twice, once more if the store
  /// has remote sources, and once for each migration that extracted or inlined values of the objects. After a kill or a
  /// power cut the store is whole, either as before or as after the erasure. A file `data.mdb.unfinished` may be left,
  /// which the next call removes.
  ///
  /// - Parameters:
  ///   - erasures: The values to erase. Entities and properties have their names in the store, present or former.
  ///   - path: The directory of a store that no process has open, and that every process has closed without a crash.
  /// - Throws: ``ErasureError``, or ``StoreError`` as from ``compact(_:progress:)``. Nothing has changed then.
  @discardableResult
  public static func erase(_ erasures: [Erasure], in path: String) async throws -> ErasureReport {
    do throws(ErasureFailure) {
      return try await SystemThread.run { () throws(ErasureFailure) in try eraseNow(erasures, in: path) }
    } catch {
      throw error.error
    }
  }

  private static func eraseNow(_ erasures: [Erasure], in path: String) throws(ErasureFailure) -> ErasureReport {
    let result = try ErasureFailure.opening { () throws(StoreError) in
      try StoreRegistry.whileClosed(path) { (access) throws(StoreError) -> Result<ErasureReport, ErasureFailure> in
        Result { () throws(ErasureFailure) in try erase(erasures, path, access) }
      }
    }
    return try result.get()
  }

  private static func erase(
    _ erasures: [Erasure], _ path: String, _ access: StoreAccess
  ) throws(ErasureFailure) -> ErasureReport {
    // The copy of a rehearsal that a kill left has the values, too.
    StoreDirectory.removeRehearsal(path)
    var copy = try ErasingCopy(erasures, of: path, access)
    // Blobs come last: the copies of the other tables decide which ones stay.
    let (before, after) = try Environment.rewrite(directory: path, last: ErasingCopy.blobs) {
      (table, view, transaction) throws(ErasureFailure) in try copy.write(table, view, transaction)
    }
    return ErasureReport(
      transactions: copy.redactor.transactions, discardedDrafts: copy.discarded.sorted(), bytesBefore: before,
      bytesAfter: after)
  }
}

/// A copy of a store's tables without the erased values.
private struct ErasingCopy {
  private let path: String
  private let head: LogHead
  /// The first position of the log. Rows before it are to be removed.
  private let first: Position
  private(set) var redactor: LogRedactor
  private(set) var discarded: [String] = []
  private var blobs: KeptBlobs
  private let histories: ErasedHistories
  /// The tables of the copy, in the order in which they are written.
  private var (archives, drafts, log, meta): (Table?, Table?, Table?, Table?) = (nil, nil, nil, nil)

  static let blobs = "blobs"

  /// Finds the objects, and the last changes of their properties.
  init(_ erasures: [Erasure], of path: String, _ access: StoreAccess) throws(ErasureFailure) {
    self.path = path
    let environment = try ErasureFailure.opening { () throws(StoreError) in
      try StoreOpener.environment(path, access, checksStructure: true)
    }
    defer { environment.close() }
    let tables = StoreTables(environment)
    (head, first, redactor, blobs, histories) = try environment.read { (transaction) throws(ErasureFailure) in
      let view = transaction.view
      let (schema, builds) = try ErasureFailure.converting { () throws(StorageError) in
        let meta = MetaTable(tables.meta)
        _ = try tables.logID(view)
        return (try meta.schema(view), try meta.indexBuilds(view))
      }
      if !builds.isEmpty {
        let names = schema.names(of: Set(builds.keys))
        throw .erasure(.unfinishedIndexes(names.isEmpty ? ["indexes"] : names))
      }
      var redactor = LogRedactor()
      let (floor, derivations) = try ErasureFailure.converting { () throws(StorageError) in
        (try MetaTable(tables.meta).floor(view), try MetaTable(tables.meta).derivations(view))
      }
      let derived = Set(derivations.map(\.property))
      var lineage = ErasedLineage(schema, derived: derived, from: floor)
      for erasure in erasures {
        for (entity, properties) in try Self.numbers(of: erasure, schema) {
          lineage.add(ObjectAddress(entity: entity, uuid: erasure.object.uuid), properties)
        }
      }
      let log = LogTable(tables.log)
      let (head, first) = try ErasureFailure.converting { () throws(StorageError) in
        let (head, first) = (try log.head(view), try MetaTable(tables.meta).firstPosition(view))
        if first <= head.position {
          try lineage.follow(log, first...head.position, view)
          if var search = OutboxSearch(of: Set(lineage.reached.keys.map(\.uuid)), schema) {
            try search.search(tables, first...head.position, view)
            for change in search.found { lineage.add(change, nil) }
          }
        }
        for (address, properties) in lineage.reached {
          try redactor.add(address.uuid, address.entity, properties, ObjectTable(tables), view)
        }
        return (head, first)
      }
      try ErasureFailure.converting { () throws(StorageError) in
        for position in stride(from: first, through: head.position, by: 1) {
          try log.withFrame(position, view) { (frame) throws(MalformedBytes) in try redactor.look(at: frame) }
        }
        redactor.begin()
      }
      // If an object moved, only one of its entities needs to know it.
      let known = Set(lineage.reached.keys).subtracting(redactor.unknown)
      if let erasure = erasures.first(where: { erasure in !known.contains { $0.uuid == erasure.object.uuid } }) {
        throw .erasure(.notFound(erasure.object))
      }
      let unknown = Set(derivations.filter { $0.version == nil }.map(\.property))
      let outdated = schema.names(of: redactor.outdated(unknown, except: derived))
      if !outdated.isEmpty { throw .erasure(.outdatedDerivations(outdated)) }
      return (head, first, redactor, KeptBlobs(schema), ErasedHistories(lineage.reached, schema))
    }
  }

  /// The entities that have or had the name of the object's entity, each with the numbers of the properties. `nil` for
  /// all.
  private static func numbers(
    of erasure: Erasure, _ schema: StoredSchema
  ) throws(ErasureFailure) -> [(entity: UInt32, properties: Set<UInt32>?)] {
    let name = erasure.object.entity
    let entities = schema.entities.filter { $0.name == name || $0.formerNames.contains(name) }
    if entities.isEmpty { throw .erasure(.unknown(entity: name, property: nil)) }
    guard let names = erasure.properties else { return entities.map { ($0.number, nil) } }
    // Before it moved, an object may have had properties with other names.
    let all = schema.moved(entities.map(\.number)).compactMap(schema.entity(number:))
    var found: [(entity: UInt32, properties: Set<UInt32>?)] = []
    for property in names {
      // A property that was converted had the name, too, under another number.
      let numbers = all.map { entity in
        (entity.number, Set(entity.properties.filter { $0.allNames.contains(property) }.map(\.number)))
      }
      let here = numbers.filter { !$0.1.isEmpty }
      if here.isEmpty { throw .erasure(.unknown(entity: name, property: property)) }
      found += here.map { ($0.0, $0.1) }
    }
    return found
  }

  /// Writes one table. When the first one is written, no process can open the store any more.
  mutating func write(
    _ table: borrowing TableRewrite, _ view: borrowing View, _ transaction: borrowing WriteTransaction
  ) throws(ErasureFailure) {
    let left = JournalFolder(path: path + "/journals").leftovers
    if !left.isEmpty { throw .erasure(.journals(left)) }
    try ErasureFailure.converting { () throws(StorageError) in
      switch table.name {
      case "archives":
        try table.copyRows(view, to: transaction)
        archives = table.target
      case Self.blobs:
        let others = try blobs.others(
          in: BlobTable(table.source), view, unlessIn: [archives, drafts].compactMap(\.self), transaction.view)
        try BlobTable.copy(table, without: others, view, to: transaction)
      case "log": try writeLog(table, view, transaction)
      case "meta":
        try table.copyRows(view, to: transaction)
        meta = table.target
      case "objects":
        try table.copyRows(view, to: transaction)
        try writeFloor(objects: table, view, transaction)
        try keepBlobs(ofObjects: table.source, view)
      case "drafts":
        try writeDrafts(table, view, transaction)
        drafts = table.target
      case ProjectionTable.name: break
      case "indexes": try histories.copyOthers(of: table, view, to: transaction)
      default: try table.copyRows(view, to: transaction)
      }
    }
  }

  private mutating func writeLog(
    _ table: borrowing TableRewrite, _ view: borrowing View, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let (source, target) = (LogTable(table.source), LogTable(table.target))
    // Another process may have opened the store and saved before the file was locked.
    let meta = MetaTable(try table.otherSource("meta", view))
    guard try source.head(view) == head, try meta.firstPosition(view) == first else {
      throw .inUse(StorageError.Site(.copy, path))
    }
    log = table.target
    for position in stride(from: first, through: head.position, by: 1) {
      let bytes = try source.withFrame(position, view) { (frame) throws(MalformedBytes) in
        try redactor.redacted(frame) ?? [UInt8](frame.bytes)
      }
      try source.applying(position) { () throws(ReplayError) in
        try ReplayError.wrapping { () throws(MalformedBytes) in try blobs.add(bytes) }
      }
      try target.append(bytes, at: position, transaction)
    }
  }

  private mutating func keepBlobs(ofObjects table: Table, _ view: borrowing View) throws(StorageError) {
    if blobs.areNone { return }
    let start = CollectionOfOne(ObjectKey(entity: 0, uuid: .zero))
    try ChunkedRows(table, numbersFirst: false).scan(copy view, from: start.span.bytes) {
      (key, bytes) throws(StorageError) in
      guard let key = ObjectKey(key), !key.isTombstone else { return false }
      try table.parsing(key.bytes, "the stored object \(key.uuid)") { () throws(MalformedBytes) in
        try blobs.add(RecordReader(stored: bytes))
      }
      return true
    }
  }

  /// After the redaction the log says less about the objects before its floor, so their digest changes.
  private func writeFloor(
    objects: borrowing TableRewrite, _ view: borrowing View, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    guard let log, let meta = meta.map(MetaTable.init), var floor = try meta.floor(transaction.view) else { return }
    // The longValues of the source, which are the same. The copy does not have the long values yet.
    let longValues = LongValueTable(try objects.otherSource(LongValueTable.name, view))
    let state = BaseState(
      log: LogTable(log), objects: ObjectTable(objects.source, longValues), floor: floor.position, head: head.position)
    guard let found = try state.findings(copy view, log: transaction.view) else { return }
    if let problem = found.problems.first { throw objects.source.damaged([], problem.text) }
    floor.record.base = found.digest
    try meta.put(floor, transaction)
  }

  private mutating func writeDrafts(
    _ table: borrowing TableRewrite, _ view: borrowing View, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let found = try FoundDraftIDs(copy view, table.source)
    for id in found.ids {
      let rows = try DraftRows(.draft(id), copy view, table.source)
      // A draft that cannot be read may contain any value.
      if !rows.problems.isEmpty || rows.state.objects.contains(where: redactor.covers) { discarded.append(id) }
    }
    let hashes = found.lost.union(discarded.map(JournalRow.hash))
    try table.copyRows(view, to: transaction) { key in key.count < 17 || !hashes.contains([UInt8](key[1..<17])) }
  }
}

extension StoredSchema {
  /// The names of properties that no migration has retired.
  fileprivate func names(of numbers: Set<UInt32>) -> [String] {
    entities.flatMap { entity in
      entity.properties.filter { numbers.contains($0.number) && !$0.name.isEmpty }.map { "\(entity.name).\($0.name)" }
    }
  }
}
