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

  /// The tables that each process needs.
  package static let names = ["meta", "log", "objects", "indexes", "drafts", "archives", "journals"]
  /// The tables that are opened on demand.
  package static let lazyNames = ["blobs", LongValueTable.name, "projections"]

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
  }
}
