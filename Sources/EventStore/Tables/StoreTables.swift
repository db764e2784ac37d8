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
  /// Stores that were made before there were blobs lack it until they have one.
  package let blobs: LateTable
  /// The same of long values.
  package let values: LateTable

  package static let names = ["meta", "log", "objects", "indexes", "drafts", "archives", "journals"]
  static let lateNames = ["blobs", RopeTable.name]

  init(_ environment: Environment) {
    meta = environment.table("meta")
    log = environment.table("log")
    objects = environment.table("objects")
    indexes = environment.table("indexes")
    drafts = environment.table("drafts")
    archives = environment.table("archives")
    journals = environment.table("journals")
    blobs = environment.lateTable("blobs")
    values = environment.lateTable(RopeTable.name)
  }
}
