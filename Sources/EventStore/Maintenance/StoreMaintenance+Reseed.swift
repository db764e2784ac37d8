import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

extension StoreMaintenance {
  /// Replaces the file of a closed store by the rows of a seed. The drafts and screens of the machine stay.
  package nonisolated(nonsending) static func takeSeed(_ seed: String, at path: String) async throws {
    try await SystemThread.run { () throws(StoreError) in
      try StoreRegistry.whileClosed(path) { (access) throws(StoreError) in
        _ = try StoreDirectory.requireStore(seed)
        let environment = try StoreOpener.environment(seed, access, isReadOnly: true, checksStructure: true)
        defer { environment.close() }
        let size = try StoreError.converting { () throws(StorageError) in try environment.sizeOfCopy() }
        try environment.read { (transaction) throws(StoreError) in
          let copy = try SeedCopy(StoreTables(environment), seed: seed, path: path, transaction.view)
          _ = try Environment.rewrite(directory: path, adding: size, keepsOld: true) {
            (table, view, writing) throws(StoreError) in
            try copy.write(table, view, transaction.view, writing)
          }
        }
      }
    }
  }
}

/// The content of a seed, with the drafts and screens of the store that it replaces.
private struct SeedCopy {
  private let tables: StoreTables
  private let logID: UniqueID
  private let path: String

  /// The tables that belong to the machine.
  private static let local = ["archives", "drafts", "journals"]

  init(_ tables: StoreTables, seed: String, path: String, _ view: View) throws(StoreError) {
    (self.tables, self.path) = (tables, path)
    let (logID, place) = try StoreError.converting { () throws(StorageError) in
      (try tables.logID(view, sharing: true), try MetaTable(tables.meta).place(view))
    }
    guard place != nil else { throw .notAStore(path: seed, reason: "it does not share its log, so it is no seed") }
    self.logID = logID
  }

  func write(
    _ table: borrowing TableRewrite, _ old: borrowing View, _ seed: View, _ transaction: borrowing WriteTransaction
  ) throws(StoreError) {
    if table.name == "meta" { try requireSameLog(table.source, copy old) }
    try StoreError.converting { () throws(StorageError) in
      if Self.local.contains(table.name) { return try table.copyRows(old, to: transaction) }
      guard let source = try source(table.name, seed) else {
        throw .tableMissing(name: table.name, StorageError.Site(.openTables, path))
      }
      try table.copyRows(seed, of: source, to: transaction)
      switch table.name {
      case "blobs": try BlobTable(table.target).add(BlobTable(table.source), copy old, transaction)
      case "meta": try keepCopy(table, copy old, transaction)
      default: break
      }
    }
  }

  private func source(_ name: String, _ seed: View) throws(StorageError) -> Table? {
    switch name {
    case "blobs": try tables.blobs.table(seed)
    case LongValueTable.name: try tables.values.table(seed)
    case "projections": try tables.projections.table(seed)
    default: [tables.meta, tables.log, tables.objects, tables.indexes].first { $0.name == name }
    }
  }

  private func requireSameLog(_ table: Table, _ view: View) throws(StoreError) {
    let found = try StoreError.converting { () throws(StorageError) in
      try MetaTable(table).logID(view, sharing: true)
    }
    if found != logID {
      throw .notAStore(path: path, reason: "its log is \(found), and the log of the seed is \(logID)")
    }
  }

  /// The store ends the drafts that its own packets name. So it keeps its ID among all copies.
  private func keepCopy(
    _ table: borrowing TableRewrite, _ old: View, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let meta = MetaTable(table.target)
    guard let copy = try MetaTable(table.source).place(old)?.copy, var place = try meta.place(transaction.view) else {
      return
    }
    place.copy = copy
    try meta.put(place, transaction)
  }
}

extension BlobTable {
  /// Adds the blobs of another table that this one lacks. Unsaved edits may need them, and no transaction does.
  fileprivate func add(
    _ other: BlobTable, _ view: View, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    var missing: [(Digest, Entry)] = []
    try other.forEachBlob(view) { (digest, entry) throws(StorageError) in
      if try self.entry(of: digest, transaction.view) == nil { missing.append((digest, try entry.get())) }
    }
    for (digest, entry) in missing {
      for chunk in 0..<entry.chunkCount {
        let key = Self.key(entry.upload, chunk: chunk)
        guard let row = try view.reader(other.table).get(key.span.bytes) else {
          throw other.table.damaged(key, "chunk \(chunk) of a blob is missing")
        }
        try transaction.put(table, key: key.span.bytes, value: row)
      }
      try put(entry, of: digest, transaction)
      try setUnused(digest, transaction)
    }
  }
}
