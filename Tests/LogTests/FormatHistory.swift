import RepriseLog
import RepriseObjectModel
import RepriseTestLog

/// A small log in which every kind of event stands, always with the same bytes: what the format's golden bytes are made
/// of, and what the independent reader checkpoints to the same records.
final class FormatHistory {
  private(set) var frames: [[UInt8]] = []
  /// By key.
  private(set) var records: [ObjectKey: [UInt8]] = [:]
  let map: SchemaMap
  private let entity: EntityMap
  private var hash = Digest.zero
  private var salts = SaltSource(seed: LogFixture.seed)

  private static let long = "It was the best of times, it was the worst of times, it was the age of wisdom."

  init() throws {
    map = try LogFixture.map()
    entity = try LogFixture.entity(map)
    try schema()
    try insertions()
    try updates()
    try deletions()
    try reinsertion()
    try compaction()
  }

  private func append(
    _ change: (inout FrameEnvelope) -> Void, _ fill: (inout FrameEncoder) throws -> Void
  ) throws {
    let position = Position(0) + frames.count + 1
    var envelope = LogFixture.envelope(at: position)
    envelope.replica.number = 0
    change(&envelope)
    salts = SaltSource(seed: Digest(words: (1, 2, 3, position.number)))
    var encoder = FrameEncoder(envelope, position: position, salts: salts)
    try fill(&encoder)
    let (bytes, hash, _) = encoder.finish(
      logID: LogFixture.logID, previousHash: hash, logTime: envelope.wallTime + Int64(position.number % 2) * 5)
    frames.append(bytes)
    self.hash = hash
  }

  private func schema() throws {
    let changes = StoredSchema().changes(to: LogFixture.storedSchema)
    try append({ $0.replica.new = LogFixture.replica }) { encoder in
      for change in changes { encoder.schema(change) }
    }
  }

  private func insertions() throws {
    let (map, entity) = (map, entity)
    let full = try LogFixture.fullValues(map)
    let plain = try LogFixture.values(map, [LogSample.title: .string(Self.long), LogSample.big: .null])
    try append({ envelope in
      envelope.author = .interned(0)
      envelope.contextName = .interned(1)
      envelope.newNames = ["ada", "editor"]
      envelope.name = .inline("Add three")
    }) { encoder in
      encoder.inserted(LogFixture.object(1), full, entity, map)
      encoder.inserted(LogFixture.object(2), plain, entity, map)
      encoder.inserted(LogFixture.object(3), entity.defaults, entity, map)
    }
    for (number, values) in [(UInt64(1), full), (2, plain), (3, entity.defaults)] {
      records[ObjectKey(entity: 2, uuid: LogFixture.object(number))] =
        try RecordWriter.inserted(values, at: 2, entity, map)
    }
  }

  private func updates() throws {
    let (map, entity) = (map, entity)
    let first = ObjectKey(entity: 2, uuid: LogFixture.object(1))
    let second = ObjectKey(entity: 2, uuid: LogFixture.object(2))
    let third = ObjectKey(entity: 2, uuid: LogFixture.object(3))
    var next = records
    try append({ $0.author = .interned(0) }) { encoder in
      next[first] = try records[first]?.withUnsafeBytes { bytes in
        let update = try RecordUpdate(
          RecordReader(bytes),
          [
            (LogSample.note, .null), (LogSample.count, .int(70_000)), (LogSample.big, .null),
            (LogSample.ratio, .double(1.5)),
          ], entity, map)
        encoder.updated(first.uuid, update, entity)
        return try update.record(at: 3)
      }
      next[second] = try records[second]?.withUnsafeBytes { bytes in
        let text = Self.long.replacing("worst", with: "wörst")
        let update = try RecordUpdate(
          RecordReader(bytes), [(LogSample.title, .string(text)), (LogSample.big, .unsigned(300))], entity, map)
        encoder.updated(second.uuid, update, entity)
        let record = try update.record(at: 3)
        encoder.keyframe(record)
        return record
      }
      next[third] = try records[third]?.withUnsafeBytes { bytes in
        let blob = [UInt8](repeating: 9, count: 40)
        let update = try RecordUpdate(RecordReader(bytes), [(LogSample.blob, .bytes(blob))], entity, map)
        encoder.updated(third.uuid, update, entity)
        return try update.record(at: 3)
      }
    }
    records = next
  }

  private func deletions() throws {
    var next = records
    let second = ObjectKey(entity: 2, uuid: LogFixture.object(2))
    let third = ObjectKey(entity: 2, uuid: LogFixture.object(3))
    let first = ObjectKey(entity: 2, uuid: LogFixture.object(1))
    let edges = [true, false].map { isAdded in
      EdgeChange(
        isAdded: isAdded, entity: 2, source: first.uuid, property: 12, target: LogFixture.object(isAdded ? 4 : 5),
        order: isAdded ? [0x80, 1] : [])
    }
    try append({ _ in }) { encoder in
      next[ObjectKey(tombstoneOf: 2, uuid: second.uuid)] = try records[second]?.withUnsafeBytes { bytes in
        encoder.deleted(second.uuid, try RecordReader(bytes), entity: 2)
        return try RecordWriter.deleted(RecordReader(bytes), at: 4)
      }
      next[ObjectKey(tombstoneOf: 2, uuid: third.uuid)] = try records[third]?.withUnsafeBytes { bytes in
        encoder.merged(third.uuid, into: first.uuid, try RecordReader(bytes), entity: 2)
        return try RecordWriter.deleted(RecordReader(bytes), at: 4)
      }
      next[first] = try records[first]?.withUnsafeBytes { bytes in
        let record = try RecordReader(bytes)
        for edge in edges { encoder.edge(edge, record.pointersOfNext) }
        return try RecordUpdate(record).record(at: 4)
      }
    }
    next[second] = nil
    next[third] = nil
    records = next
  }

  private func reinsertion() throws {
    let (map, entity) = (map, entity)
    let tombstone = ObjectKey(tombstoneOf: 2, uuid: LogFixture.object(2))
    let key = ObjectKey(entity: 2, uuid: LogFixture.object(2))
    var next = records
    try append({ $0.undoes = 4 }) { encoder in
      next[key] = try records[tombstone]?.withUnsafeBytes { bytes in
        let record = try RecordReader(bytes)
        let values = try LogFixture.values(map, [LogSample.title: .string("Again")])
        encoder.inserted(key.uuid, values, over: record, entity, map)
        return try RecordWriter.inserted(values, over: record, at: 5, entity, map)
      }
    }
    next[tombstone] = nil
    records = next
  }

  private func compaction() throws {
    try append({ envelope in
      envelope.supersedes = 5
      envelope.base = 2
    }) { encoder in
      encoder.compaction(
        CompactionRecord(floor: 300, hash: LogFixture.seed, base: .zero, policy: .age(86_400_000_000)))
    }
  }
}

extension ObjectKey: Hashable {
  @usableFromInline package static func == (left: ObjectKey, right: ObjectKey) -> Bool { left.bytes == right.bytes }
  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
