import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension Migrator {
  /// The number of records read in one transaction. A read transaction keeps pages from being reused, so it must be
  /// short.
  private static let recordsAtOnce = 50_000

  /// Reads the records of an entity in the order of their objects, until `body` returns false. Objects saved meanwhile
  /// may be included.
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
