import RepriseLMDB
import RepriseObjectModel

/// The beginning of a truncated log, with all facts of the dropped transactions that later ones depend on. Only the
/// objects are not here: they are the present objects with the later transactions undone. Docs/FileFormat/floor.md.
package struct LogFloor {
  /// The floor, and the digest of the objects before it: the `limit` in Docs/FileFormat/floor.md.
  package var record: CompactionRecord
  /// The schema before the floor.
  package var schema: StoredSchema
  /// The replica of the log, which the first transaction had.
  package var replica: UniqueID
  /// How many names had numbers before the floor, and the digest of them.
  package var nameCount: UInt32
  package var names: Digest

  /// The first transaction that the log has.
  package var position: Position { record.floor }

  package init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    record = try reader.compaction()
    replica = try reader.uuid("a replica's UUID")
    nameCount = try reader.number("the number of names")
    guard nameCount <= FrameEnvelope.nameLimit else { throw reader.fail("the number of names") }
    names = try reader.digest("a digest of names")
    schema = try StoredSchema(encoded: try reader.sized("a schema"))
    let history = try reader.sized("the history of a schema")
    try reader.expectEnd("the end of an entry")
    schema.take(try SchemaHistory(encoded: history))
  }

  package init(
    record: CompactionRecord, schema: StoredSchema, replica: UniqueID, nameCount: UInt32, names: Digest
  ) {
    self.record = record
    self.schema = schema
    self.replica = replica
    self.nameCount = nameCount
    self.names = names
  }

  package func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 256)
    writer.compaction(record)
    writer.uuid(replica)
    writer.varint(UInt64(nameCount))
    writer.digest(names)
    writer.sized(schema.encoded())
    writer.sized(SchemaHistory(of: schema).encoded())
    return writer.sealed()
  }

  /// The digest of names, by their numbers.
  package static func digest(ofNames names: some Sequence<[UInt8]>) -> Digest {
    var hash = SHA256()
    for name in names {
      var writer = ByteWriter(reserving: name.count + 2)
      writer.sized(name)
      hash.update(writer.bytes)
    }
    return hash.finish()
  }
}

extension MetaTable {
  /// `nil` if the log is whole.
  package func floor(_ view: View) throws(StorageError) -> LogFloor? {
    try parsed(MetaKey.floor, view) { (bytes) throws(MalformedBytes) in try LogFloor(encoded: bytes) }
  }

  /// The first transaction that the log has; 1 if it is whole.
  package func firstPosition(_ view: View) throws(StorageError) -> Position {
    let first = try parsed(MetaKey.floor, view) { (bytes) throws(MalformedBytes) in
      var reader = try ByteReader(sealed: bytes)
      return try reader.compaction().floor
    }
    return first ?? 1
  }

  package func put(_ floor: LogFloor, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    try put(MetaKey.floor, floor.encoded(), transaction)
  }
}
