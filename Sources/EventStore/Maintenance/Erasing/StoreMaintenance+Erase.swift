import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension StoreMaintenance {
  /// Erases from a store what properties of objects were: all values that the log has of them, but for those that they
  /// have now. Of a deleted object nothing is left. No byte of them is in any file of the store afterwards.
  ///
  /// An object is reached under every name that it had: also what it was before a migration moved it, the values of a
  /// part that was extracted from it or inlined into it, and those of the object that it was extracted from.
  ///
  /// To erase what an object says now, first assign something else, or delete it, and save. An attribute that a
  /// migration removed keeps its last value until the object is deleted. The log keeps its transactions and its hashes:
  /// ``verify(_:against:)`` and head hashes that were kept hold as before. A ``LoggedTransaction`` reports that a value
  /// is gone. A context at a past position shows the property's default. The transaction can no longer be taken back.
  ///
  /// A blob goes with its bytes, unless the log, an object, a draft or a screen still has it. This includes blobs that
  /// the program has made and not used.
  ///
  /// Drafts that edit the objects are discarded, because they tell of values before. Rows of projections are made anew
  /// when these are installed; not if ``TransactionLog/retain(_:progress:)`` has dropped what they follow from. Authors,
  /// names of contexts and transactions, and metadata stay, because transactions of other objects share them: use the
  /// ID of a user as author, and not the name. States of screens stay as well, and so do copies elsewhere: backups, the
  /// disk's free space, and what a server has.
  ///
  /// Checks the structure of the pages first, like ``check(_:)``. Then writes the data file again, row by row, and puts
  /// it in the place of the old one. It needs space for the copy. It reads the log twice, and once more for each
  /// migration that extracted or inlined values of the objects. A kill or a power cut leaves the store as it was before
  /// or after, whole, and perhaps a file `data.mdb.unfinished`, which the next call removes.
  ///
  /// - Parameters:
  ///   - erasures: What is to be erased; by the names that entities and properties have in the store, or had.
  ///   - path: The directory of a store that is open in no process, and was closed in order.
  /// - Throws: ``ErasureError``; ``StoreError``, as ``compact(_:progress:)``. Then nothing has changed.
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
    // A copy that a migration was tried on, and a kill left, has the values as well.
    StoreDirectory.removeRehearsal(path)
    var copy = try ErasingCopy(erasures, of: path, access)
    // What becomes of blobs, the other tables say.
    let (before, after) = try Environment.rewrite(directory: path, last: ErasingCopy.blobs) {
      (table, view, transaction) throws(ErasureFailure) in try copy.write(table, view, transaction)
    }
    return ErasureReport(
      transactions: copy.redactor.transactions, discardedDrafts: copy.discarded.sorted(), bytesBefore: before,
      bytesAfter: after)
  }
}

/// A copy of a store's tables without what is erased.
private struct ErasingCopy {
  private let path: String
  private let head: LogHead
  /// Where the log begins: what is before it is on its way out.
  private let first: Position
  private(set) var redactor: LogRedactor
  private(set) var discarded: [String] = []
  private var blobs: KeptBlobs
  /// The tables of the copy, in the order in which they are written.
  private var (archives, drafts, log, meta): (Table?, Table?, Table?, Table?) = (nil, nil, nil, nil)

  static let blobs = "blobs"

  /// Finds the objects, and the last changes of their properties.
  init(_ erasures: [Erasure], of path: String, _ access: StoreAccess) throws(ErasureFailure) {
    self.path = path
    let environment = try ErasureFailure.opening { () throws(StoreError) in
      try StoreOpener.environment(path, .full, access, checksStructure: true)
    }
    defer { environment.close() }
    let tables = StoreTables(environment)
    (head, first, redactor, blobs) = try environment.read { (transaction) throws(ErasureFailure) in
      let view = transaction.view
      let (schema, builds) = try ErasureFailure.converting { () throws(StorageError) in
        let meta = MetaTable(tables.meta)
        _ = try meta.logID(view)
        return (try meta.schema(view), try meta.indexBuilds(view))
      }
      if !builds.isEmpty {
        let names = schema.entities.flatMap { entity in
          entity.properties.filter { builds[$0.number] != nil }.map { "\(entity.name).\($0.name)" }
        }
        throw .erasure(.unfinishedIndexes(names.isEmpty ? ["indexes"] : names))
      }
      var redactor = LogRedactor()
      let floor = try ErasureFailure.converting { () throws(StorageError) in try MetaTable(tables.meta).floor(view) }
      var lineage = ErasedLineage(schema, from: floor)
      for erasure in erasures {
        for (entity, properties) in try Self.numbers(of: erasure, schema) {
          lineage.add(ObjectAddress(entity: entity, uuid: erasure.object.uuid), properties)
        }
      }
      let log = LogTable(tables.log)
      let (head, first) = try ErasureFailure.converting { () throws(StorageError) in
        let (head, first) = (try log.head(view), try MetaTable(tables.meta).firstPosition(view))
        if first <= head.position { try lineage.follow(log, first...head.position, view) }
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
      // Of an object that moved, one of the entities knows it.
      let known = Set(lineage.reached.keys).subtracting(redactor.unknown)
      if let erasure = erasures.first(where: { erasure in !known.contains { $0.uuid == erasure.object.uuid } }) {
        throw .erasure(.notFound(erasure.object))
      }
      return (head, first, redactor, KeptBlobs(schema))
    }
  }

  /// The entities that have or had the name of an object's, each with the numbers of the properties; `nil` stands for
  /// all.
  private static func numbers(
    of erasure: Erasure, _ schema: StoredSchema
  ) throws(ErasureFailure) -> [(entity: UInt32, properties: Set<UInt32>?)] {
    let name = erasure.object.entity
    let entities = schema.entities.filter { $0.name == name || $0.formerNames.contains(name) }
    if entities.isEmpty { throw .erasure(.unknown(entity: name, property: nil)) }
    guard let names = erasure.properties else { return entities.map { ($0.number, nil) } }
    // What an object was before it moved may have other names.
    let all = schema.moved(entities.map(\.number)).compactMap(schema.entity(number:))
    var found: [(entity: UInt32, properties: Set<UInt32>?)] = []
    for property in names {
      // What was converted had the name as well, under another number.
      let numbers = all.map { entity in
        (entity.number, Set(entity.properties.filter { $0.allNames.contains(property) }.map(\.number)))
      }
      let here = numbers.filter { !$0.1.isEmpty }
      if here.isEmpty { throw .erasure(.unknown(entity: name, property: property)) }
      found += here.map { ($0.0, $0.1) }
    }
    return found
  }

  /// Writes one table. The first is written when nobody else can open the store.
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
      default: try table.copyRows(view, to: transaction)
      }
    }
  }

  private mutating func writeLog(
    _ table: borrowing TableRewrite, _ view: borrowing View, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let (source, target) = (LogTable(table.source), LogTable(table.target))
    // Somebody opened the store and saved before nobody could any more.
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
      try table.parsing(key.bytes, "the record of \(key.uuid)") { () throws(MalformedBytes) in
        try blobs.add(RecordReader(stored: bytes))
      }
      return true
    }
  }

  /// What the log says of the objects before its floor is less now, so their digest is another.
  private func writeFloor(
    objects: borrowing TableRewrite, _ view: borrowing View, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    guard let log, let meta = meta.map(MetaTable.init), var floor = try meta.floor(transaction.view) else { return }
    // Those of the source, which are the same: their long values are not copied yet.
    let ropes = RopeTable(try objects.otherSource(RopeTable.name, view))
    let state = BaseState(
      log: LogTable(log), objects: ObjectTable(objects.source, ropes), floor: floor.position, head: head.position)
    guard let found = try state.findings(copy view, log: transaction.view) else { return }
    if let problem = found.problems.first { throw objects.source.damaged([], problem) }
    floor.record.base = found.digest
    try meta.put(floor, transaction)
  }

  private mutating func writeDrafts(
    _ table: borrowing TableRewrite, _ view: borrowing View, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let found = try FoundDraftIDs(copy view, table.source)
    for id in found.ids {
      let rows = try DraftRows(id, copy view, table.source)
      // What cannot be read may tell of anything.
      if !rows.problems.isEmpty || rows.state.objects.contains(where: redactor.covers) { discarded.append(id) }
    }
    let hashes = found.lost.union(discarded.map(JournalRow.hash))
    try table.copyRows(view, to: transaction) { key in key.count < 17 || !hashes.contains([UInt8](key[1..<17])) }
  }
}

extension StoredSchema {
  /// Entities with those that their objects came from or went to.
  fileprivate func moved(_ entities: [UInt32]) -> [UInt32] {
    var all = entities
    var place = 0
    while place < all.count {
      for descent in descents where descent.kind == .moved {
        for (from, to) in [(descent.source, descent.target), (descent.target, descent.source)]
        where from == all[place] && !all.contains(to) {
          all.append(to)
        }
      }
      place += 1
    }
    return all
  }
}

extension LogRedactor {
  fileprivate mutating func add(
    _ uuid: UniqueID, _ entity: UInt32, _ properties: Set<UInt32>?, _ objects: ObjectTable, _ view: borrowing View
  ) throws(StorageError) {
    let address = ObjectAddress(entity: entity, uuid: uuid)
    let key = ObjectKey(entity: entity, uuid: uuid)
    let record = try objects.bytes(key, copy view)
    try objects.table.parsing(key.bytes, "the record of \(uuid)") { () throws(MalformedBytes) in
      guard let record else { return try add(address, properties, record: nil) }
      try record.lend { (bytes) throws(MalformedBytes) in
        try add(address, properties, record: RecordReader(bytes))
      }
    }
  }
}
