@testable import RepriseLog
@testable import RepriseObjectModel

/// Frames of the log: everything that reads them, and the record that replaying each event gives.
struct FuzzFrames: FuzzTarget {
  func seeds() throws -> [[UInt8]] {
    let map = try LogFixture.map()
    let entity = try LogFixture.entity(map)
    var envelope = LogFixture.envelope(at: 9)
    envelope.author = .inline("ada")
    envelope.newNames = ["Rename"]
    var frame = FrameEncoder(envelope, position: 9)
    var fields = ByteWriter()
    fields.fields(try LogFixture.fullValues(map), entity, map)
    let record = try fields.bytes.lend { (fields) throws(MalformedBytes) in
      frame.inserted(LogFixture.object(1), RecordFields(fields), entity: entity.number)
      return try RecordWriter.inserted(RecordFields(fields), at: 3)
    }
    try record.lend { (bytes) throws(MalformedBytes) in
      let record = try RecordReader(bytes)
      let changes = [PropertyChange(slot: LogSample.count, old: .int(-3), new: .int(8))]
      frame.updated(LogFixture.object(2), try RecordUpdate(record, changes, entity, map), entity)
      frame.deleted(LogFixture.object(3), record, entity: entity.number)
    }
    frame.keyframe(record)
    for change in StoredSchema().changes(to: LogFixture.storedSchema) { frame.schema(change) }
    return [frame.finish(logID: LogFixture.logID, previousHash: .zero, logTime: 1).bytes]
  }

  func run(_ bytes: [UInt8]) throws {
    try? read(bytes)
    try read(resealed(bytes))
  }

  private func read(_ bytes: [UInt8]) throws {
    try bytes.lend { (bytes) throws(MalformedBytes) in
      let frame = try LogFrame(bytes)
      _ = try frame.verifyHash(logID: LogFixture.logID, previousHash: .zero)
      for keyframe in try frame.keyframes() { _ = try keyframe.record().header }
      var schema = StoredSchema()
      var events = frame.events
      while let event = try events.next() {
        if let record = try? event.replayed(on: nil, at: frame.position) {
          _ = try FuzzRecords.read(record)
          try record.lend { (bytes) throws(MalformedBytes) in
            var object = RolledBackObject(try RecordReader(bytes))
            try? object.rollBack(event, at: frame.position)
          }
        }
        if let change = try event.schemaChange() { try schema.apply(change) }
        _ = try (event.compaction(), event.edge(), event.winner())
        guard var fields = event.change?.fields else { continue }
        while try fields.next() != nil {}
      }
      // What was learned can be stored.
      _ = try schema.encoded().lend { (bytes) throws(MalformedBytes) in try StoredSchema(encoded: bytes) }
    }
  }
}

/// Records of objects.
struct FuzzRecords: FuzzTarget {
  func seeds() throws -> [[UInt8]] {
    let map = try LogFixture.map()
    var fields = ByteWriter()
    fields.fields(try LogFixture.fullValues(map), try LogFixture.entity(map), map)
    var split = ByteWriter.sealing(reserving: 40)
    split.append(RecordReader.splitKind)
    for number in [1, 9, 1] as [UInt64] { split.varint(number) }
    split.longValue(LongValue(isText: true, length: 10_000, digest: UniqueID()))
    return [
      try fields.bytes.lend { (fields) throws(MalformedBytes) in
        try RecordWriter.inserted(RecordFields(fields), at: 300)
      }, split.sealed(),
    ]
  }

  func run(_ bytes: [UInt8]) throws {
    try? Self.read(bytes)
    let sealed = resealed(bytes)
    guard sealed.lend({ RecordReader.isSplit($0) }) else { return try Self.read(sealed) }
    try? Self.read(sealed)
    try Self.readStored(sealed)
  }

  /// As it lies in its table, perhaps without long values.
  private static func readStored(_ bytes: [UInt8]) throws(MalformedBytes) {
    try bytes.lend { (bytes) throws(MalformedBytes) in
      let record = try RecordReader(stored: bytes)
      _ = (record.header, try record.longFields(), record.head(RecordReader.splitKind))
    }
  }

  /// Made once: it takes longer than a record.
  private static let known = try? { () throws in
    let map = try LogFixture.map()
    return (map: map, entity: try LogFixture.entity(map))
  }()

  static func read(_ bytes: [UInt8]) throws(MalformedBytes) {
    guard let (map, entity) = known else { return }
    try bytes.lend { (bytes) throws(MalformedBytes) in
      let record = try RecordReader(bytes)
      _ = record.header
      _ = try record.values(entity, map)
      for number in entity.numbers { _ = try? record.fields.raw(number) }
      _ = try RecordWriter.deleted(record, at: Position(.max))
    }
  }
}

/// With the checksum that they should have.
func resealed(_ bytes: [UInt8]) -> [UInt8] {
  var writer = ByteWriter.sealing(reserving: bytes.count)
  bytes.dropFirst(Checksum.size).withUnsafeBytes { writer.append($0) }
  return writer.sealed()
}
