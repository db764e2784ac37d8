import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Finds the entries in the outboxes of remote sources that repeat values of some objects.
struct OutboxSearch {
  private let entity: UInt32
  private let attribute: UInt32
  private let objects: Set<UniqueID>
  private(set) var found: Set<ObjectAddress> = []

  /// `nil` if the store has no outbox.
  init?(of objects: Set<UniqueID>, _ schema: StoredSchema) {
    guard let entity = schema.entities.first(where: { $0.name == SourceNames.Outbox.entity }),
      let attribute = entity.property(named: SourceNames.Outbox.object)
    else { return nil }
    (self.entity, self.attribute, self.objects) = (entity.number, attribute.number, objects)
  }

  /// Adds the present entries, and the entries that a transaction in the log inserted or deleted.
  mutating func search(
    _ tables: StoreTables, _ positions: ClosedRange<Position>, _ view: borrowing View
  ) throws(StorageError) {
    var found = found
    try ObjectTable(tables).forEachRecord(entity, SourceNames.Outbox.entity, copy view) {
      (uuid, record) throws(MalformedBytes) in
      if try isWanted(record.fields) { found.insert(ObjectAddress(entity: entity, uuid: uuid)) }
    }
    let log = LogTable(tables.log)
    for position in stride(from: positions.lowerBound, through: positions.upperBound, by: 1) {
      try log.withFrame(position, copy view, readsNames: false) { (frame) throws(MalformedBytes) in
        var events = frame.events
        while let event = try events.next() {
          guard let change = event.change, change.object.entity == entity, let whole = change.whole else { continue }
          if try isWanted(whole) { found.insert(change.object) }
        }
      }
    }
    self.found = found
  }

  private func isWanted(_ fields: RecordFields) throws(MalformedBytes) -> Bool {
    guard let value = try fields.raw(attribute), value.first == ValueTag.uuid.rawValue else { return false }
    var reader = ByteReader(value)
    guard case .uuid(let object) = try reader.scalar() else { return false }
    return objects.contains(object)
  }
}
