import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Removes unneeded rows of the table `blobs`, in slices: uploads that did not end, and blobs that no transaction,
/// draft or screen refers to.
///
/// A process that made a blob holds it. So only blobs of processes that have ended or closed the store are removed.
struct BlobCleaning {
  let path: String
  let environment: Environment
  let tables: StoreTables
  let claims: BlobClaims

  /// Chunks removed in one commit: about a megabyte.
  static let slice = 512
  private static let batch = 100

  /// The last examined blob. `nil` once all were examined.
  private var looked: Digest? = .zero
  /// Finds the blobs that objects and the log refer to. `nil` unless there may be a blob to remove.
  private var walk: BlobReferenceWalk?
  /// The uploads to remove. `nil` before they are known.
  private var uploads: [UniqueID]?

  init(_ path: String, _ environment: Environment, _ tables: StoreTables, _ claims: BlobClaims) {
    self.path = path
    self.environment = environment
    self.tables = tables
    self.claims = claims
  }

  /// Whether there may be something to remove. O(log n).
  static func isNeeded(_ tables: StoreTables, _ view: View) throws(StorageError) -> Bool {
    try BlobTable(tables, view).needsCleaning(view)
  }

  /// Takes the next step, with at most one short commit. False if nothing is left to do.
  mutating func step() throws(StoreError) -> Bool {
    if let references = walk, !references.isAtHead {
      try walkOn(references)
    } else if let last = looked {
      let found = try read { (view) throws(StorageError) in
        try BlobTable(tables, view).unused(behind: last, limit: Self.batch, view)
      }
      if try forgetUnneeded(of: found) {
        looked = found.count == Self.batch ? found.last : nil
      } else {
        let schema = try read { (view) throws(StorageError) in try MetaTable(tables.meta).schema(view) }
        walk = BlobReferenceWalk(schema)
      }
    } else if let upload = uploads?.last {
      if try Self.removeSome(of: upload, tables, environment) { uploads?.removeLast() }
    } else if uploads == nil {
      let found = try read { (view) throws(StorageError) in try BlobTable(tables, view).abandoned(view) }
      // A process that is still writing holds its upload.
      uploads = claims.whileUnheld(found.map { .upload($0) }) { free in
        free.compactMap { if case .upload(let id) = $0 { id } else { nil } }
      }
    } else {
      return false
    }
    return true
  }

  private mutating func walkOn(_ references: BlobReferenceWalk) throws(StoreError) {
    var references = references
    do throws(StoreError) {
      try read { (view) throws(StorageError) in try references.step(tables, view) }
      walk = references
    } catch {
      guard case .damaged = error else { throw error }
      // Objects that cannot be read may refer to any blob, so all blobs stay. Uploads can still be removed.
      (walk, looked) = (nil, nil)
    }
  }

  /// Removes some chunks of an upload in a commit. True if nothing is left.
  static func removeSome(
    of upload: UniqueID, _ tables: StoreTables, _ environment: Environment
  ) throws(StoreError) -> Bool {
    try StoreError.converting { () throws(StorageError) in
      try environment.write { (transaction) throws(StorageError) in
        try BlobTable(tables, transaction.view).removeSome(of: upload, limit: slice, transaction)
      }
    }
  }

  /// False if it must be known first which blobs objects and the log refer to.
  ///
  /// A blob that was lost and was made again is marked as unused, although an object may still refer to it. No save
  /// follows, because the value of the object is the same.
  private func forgetUnneeded(of blobs: [Digest]) throws(StoreError) -> Bool {
    try claims.whileUnheld(blobs.map { .blob($0) }) { (free) throws(StoreError) -> Bool in
      let free = free.compactMap { if case .blob(let digest) = $0 { digest } else { nil } }
      let mentioned = try mentioned(of: free)
      let unneeded = free.filter { !mentioned.contains($0) }
      if unneeded.isEmpty { return true }
      guard let referred = walk?.references.blobs else { return false }
      try StoreError.converting { () throws(StorageError) in
        try environment.write { (transaction) throws(StorageError) in
          let table = try BlobTable(tables, transaction.view)
          // A save may have referred to some meanwhile.
          for digest in unneeded where try table.isUnused(digest, transaction.view) {
            if let entry = try table.entry(of: digest, transaction.view),
              !referred.contains(Blob(digest, byteCount: entry.byteCount))
            {
              try table.forget(digest, entry, transaction)
            } else {
              try table.keep(digest, transaction)
            }
          }
        }
      }
      return true
    }
  }

  /// The digests that occur in a journal, a draft or a screen. Journals are searched first, because their entries move
  /// into the tables.
  private func mentioned(of digests: [Digest]) throws(StoreError) -> Set<Digest> {
    if digests.isEmpty { return [] }
    var search = DigestSearch(digests)
    let folder = JournalFolder(path: path + "/journals")
    let journals: [UniqueID]
    do throws(JournalError) {
      journals = try folder.journals()
    } catch {
      throw .journal(path: folder.path, reason: error.description)
    }
    for journal in journals {
      do throws(SystemFailure) {
        // A refused journal may be trusted later, and its drafts then need their blobs.
        try folder.readLive(journal, evenIfRefused: true).withUnsafeBytes { search.look(in: $0) }
      } catch {
        // A journal that is gone was checkpointed into the tables.
        if !folder.has(journal) { continue }
        let failure = JournalError.cannotRead(path: folder.path(JournalFolder.name(journal)), errno: error.errno)
        throw .journal(path: folder.path, reason: failure.description)
      }
    }
    try read { (view) throws(StorageError) in
      for table in [tables.drafts, tables.archives] {
        try ChunkedRows(table, numbersFirst: true, limit: .max).scan(view, from: RawSpan()) {
          (_, bytes) throws(StorageError) in
          search.look(in: bytes)
          return true
        }
      }
    }
    return search.found
  }

  private func read<Result>(_ body: (borrowing View) throws(StorageError) -> Result) throws(StoreError) -> Result {
    try StoreError.converting { () throws(StorageError) in
      try environment.read { (transaction) throws(StorageError) in try body(transaction.view) }
    }
  }
}
