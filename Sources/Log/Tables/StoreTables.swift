import RepriseLMDB
import RepriseObjectModel

/// The tables of a store's environment. Docs/FileFormat.md, "Tables".
package final class StoreTables: Sendable {
  package let meta: Table
  package let log: Table
  package let objects: Table
  package let indexes: Table
  package let drafts: Table
  package let archives: Table
  package let journals: Table
  package let blobs: LazyTable
  package let values: LazyTable
  package let projections: LazyTable
  private let images: LazyTable

  /// The tables that each process needs.
  package static let names = ["meta", "log", "objects", "indexes", "drafts", "archives", "journals"]
  /// The tables that are not opened with the store.
  package static let lazyNames = ["blobs", LongValueTable.name, "projections", ImagePlaces.table]

  package init(_ environment: Environment) {
    meta = environment.table("meta")
    log = environment.table("log")
    objects = environment.table("objects")
    indexes = environment.table("indexes")
    drafts = environment.table("drafts")
    archives = environment.table("archives")
    journals = environment.table("journals")
    blobs = environment.lazyTable("blobs")
    values = environment.lazyTable(LongValueTable.name)
    projections = environment.lazyTable("projections")
    images = environment.lazyTable(ImagePlaces.table)
  }

  /// The ID of the log. Throws unless this library can read the store's format, and the store has all tables.
  ///
  /// In a snapshot, this costs neither a system call nor a page fault: one page has the heads of all tables.
  ///
  /// - Parameter sharing: Whether the store may share its log.
  package func logID(_ view: View, sharing: Bool = false) throws(StorageError) -> UniqueID {
    // Stores of earlier formats had fewer tables, so the format comes first.
    let logID = try MetaTable(meta).logID(view, sharing: sharing)
    _ = try (blobs.table(view), values.table(view), projections.table(view), images.table(view))
    return logID
  }

  /// Throws as an opening does unless these are the names of all tables of a store. The store in `path` is closed.
  package static func requireAll(in found: [String], ofStoreAt path: String) throws(StorageError) {
    let site = StorageError.Site(.openTables, path)
    for name in names where !found.contains(name) { throw .tableMissing(name: name, site) }
    for name in lazyNames where !found.contains(name) { throw .damage(missingTable: name, site) }
  }
}
