import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The progress of a migration that has not ended. `meta` has it, written with each slice.
package struct MigrationState: Equatable {
  /// A conversion that has begun, by numbers.
  struct Running: Equatable {
    /// The index of the conversion in the migration.
    let conversion: Int
    let entity: UInt32
    let old: UInt32
    let new: UInt32
  }

  let version: UInt32
  var running: [Running] = []
  /// The works of mappings. They follow the conversions.
  var works: [Work] = []
  /// The index of the current step in `running` and, after the end of `running`, in `works`. Then the number of this
  /// step's objects that are done, and the first object that is not.
  var current = 0
  var done = 0
  var next = UniqueID.zero
  /// Indexes over converted attributes, whose rows are still to be removed.
  var obsoleteIndexes: [UInt32] = []

  init(version: UInt32) { self.version = version }

  /// Whether nothing is left to do.
  var isEmpty: Bool { running.isEmpty && works.isEmpty && obsoleteIndexes.isEmpty }

  func isOlder(than other: Self?) -> Bool {
    other.map { (version, current, done) < ($0.version, $0.current, $0.done) } ?? false
  }

  /// Advances the state after a slice.
  ///
  /// - rest: The first object of the next slice. `nil` if all are done.
  mutating func advance(by count: Int, to rest: UniqueID?) {
    if let rest {
      next = rest
      done += count
    } else {
      current += 1
      (next, done) = (.zero, 0)
    }
  }

  func belongs(to schema: StoredSchema) -> Bool { schema.version == version && isNumbered(in: schema) }

  /// Whether a schema has the attributes and entities of the state.
  func isNumbered(in schema: StoredSchema) -> Bool {
    running.allSatisfy { it in
      guard let entity = schema.entity(number: it.entity) else { return false }
      return entity.property(number: it.old) != nil && entity.property(number: it.new) != nil
    } && works.allSatisfy { schema.entity(number: $0.source) != nil && schema.entity(number: $0.target) != nil }
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 64)
    writer.varint(UInt64(version))
    writer.varint(running.count)
    for it in running {
      writer.varint(it.conversion)
      writer.varint(UInt64(it.entity))
      writer.varint(UInt64(it.old))
      writer.varint(UInt64(it.new))
    }
    writer.varint(current)
    writer.varint(done)
    writer.uuid(next)
    writer.varint(obsoleteIndexes.count)
    for index in obsoleteIndexes { writer.varint(UInt64(index)) }
    writer.varint(works.count)
    for work in works { writer.work(work) }
    return writer.sealed()
  }

  package init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    version = try reader.number("a version")
    for _ in 0..<(try reader.count(of: 4, "the number of conversions")) {
      running.append(
        Running(
          conversion: Int(try reader.number("a conversion")), entity: try reader.schemaNumber("an entity's number"),
          old: try reader.schemaNumber("a property's number"), new: try reader.schemaNumber("a property's number")))
    }
    current = Int(try reader.number("a conversion"))
    done = Int(try reader.number("a number of objects"))
    next = try reader.uuid("an object's UUID")
    for _ in 0..<(try reader.count(of: 1, "the number of indexes")) {
      obsoleteIndexes.append(try reader.number("an index's number"))
    }
    for _ in 0..<(try reader.count(of: 7, "the number of works")) { works.append(try reader.work()) }
    try reader.expectEnd("the state of a migration to end")
  }
}

extension MetaTable {
  func migration(_ view: View) throws(StorageError) -> MigrationState? {
    // Each opening calls this, and most stores have no migration under way.
    guard try get(MetaKey.migration, view) != nil else { return nil }
    return try parsed(MetaKey.migration, view) { (bytes) throws(MalformedBytes) in try MigrationState(encoded: bytes) }
  }

  func put(_ state: MigrationState, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try put(MetaKey.migration, state.encoded(), transaction)
  }

  func removeMigration(_ transaction: borrowing WriteTransaction) throws(StorageError) {
    let key = MetaKey.migration
    try transaction.delete(table, key: key.span.bytes)
  }
}
