import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Migrator {
  /// How many records are read in a transaction: a read transaction keeps pages from being reused, so none is long.
  private static let recordsAtOnce = 50_000

  /// Reads the records of an entity, in the order of their objects, until `body` returns false. What others save
  /// meanwhile may be among them.
  func forEachRecord(
    of entity: StoredEntity, from first: UniqueID = .zero,
    _ body: (UniqueID, RecordReader) throws(MalformedBytes) -> Bool
  ) throws(StoreError) {
    var next: UniqueID? = first
    while let first = next {
      try checkCancellation()
      next = try read { (view) throws(StorageError) in
        var rest: UniqueID?
        var count = 0
        try ObjectTable(tables).scanRecords(entity.number, entity.name, from: first, view) {
          (uuid, record) throws(MalformedBytes) in
          if count == Self.recordsAtOnce {
            rest = uuid
            return false
          }
          count += 1
          return try body(uuid, record)
        }
        return rest
      }
    }
  }
}
