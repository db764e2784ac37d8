import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The content that the table `meta` must have, folded from the log. The table repeats parts of the log for quick
/// reading, so undetected damage to it could, for example, attribute changes to the wrong author.
struct MetaFold {
  private(set) var schema = StoredSchema()
  /// The transactions that declared entities and properties, by number; none of those before the floor.
  private(set) var declarations = SchemaDeclarations()
  private var replica: UniqueID?
  private var names: [UInt32: String] = [:]
  private var nameCount: UInt32 = 0
  private var clockSteps: [ClockStep] = []
  /// Of the frames that were added.
  private var first: Position?
  private var lastTime = Int64.min
  /// Of the transactions and the objects that they inserted.
  private(set) var greatestID = UniqueID.zero
  private let floor: LogFloor?

  /// - Parameter floor: Where the log begins; `nil` if it is whole.
  init(from floor: LogFloor? = nil) {
    self.floor = floor
    guard let floor else { return }
    (schema, replica, nameCount) = (floor.schema, floor.replica, floor.nameCount)
  }

  /// The floor at the next position, if what was folded is dropped. The names before an earlier floor are those that
  /// `meta` has.
  func floor(
    _ record: CompactionRecord, _ meta: MetaTable, _ view: View
  ) throws(StorageError) -> LogFloor? {
    guard let replica else { return nil }
    var all = names
    for number in 0..<(floor?.nameCount ?? 0) {
      all[number] = try meta.get(MetaKey.name(number), view).map { String(decoding: $0, as: UTF8.self) }
    }
    let digest = LogFloor.digest(ofNames: (0..<nameCount).map { Array((all[$0] ?? "").utf8) })
    return LogFloor(record: record, schema: schema, replica: replica, nameCount: nameCount, names: digest)
  }

  mutating func add(_ frame: LogFrame) throws(MalformedBytes) {
    let envelope = frame.envelope
    if first == nil {
      first = frame.position
    } else if frame.logTime <= lastTime {
      clockSteps.append(ClockStep(position: frame.position, before: lastTime, time: frame.logTime))
    }
    lastTime = frame.logTime
    greatestID = UniqueID.later(greatestID, envelope.transactionID)
    if replica == nil { replica = envelope.replica.new }
    for (offset, name) in envelope.newNames.enumerated() { names[envelope.firstNewName + UInt32(offset)] = name }
    if !envelope.newNames.isEmpty { nameCount = envelope.firstNewName + UInt32(envelope.newNames.count) }
    let changesSchema = envelope.schemaRevision != schema.revision
    schema.revision = envelope.schemaRevision
    var events = frame.events
    while let event = try events.next() {
      if let change = event.change, change.kind == .inserted {
        greatestID = UniqueID.later(greatestID, change.object.uuid)
      }
      if changesSchema, let change = try event.schemaChange() {
        declarations.add(change, at: frame.position, to: schema)
        try schema.apply(change)
      }
    }
  }

  /// Writes to `meta` the folded content and these numbers of objects, and takes away what nothing reads.
  func write(
    _ meta: MetaTable, _ counts: [UInt32: Int], _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    for key in try strangers(meta, transaction.view) { try transaction.delete(meta.table, key: key.span.bytes) }
    try meta.put(schema, transaction)
    if let replica { try meta.put(MetaKey.replica, MetaTable.bytes(replica), transaction) }
    try meta.put(MetaKey.order, MetaTable.bytes(OrderKey.version), transaction)
    try meta.putCollators(of: schema.localeCollations, transaction)
    try meta.put(clockSteps, after: first ?? 0, transaction)
    try meta.put(MetaKey.nameCount, MetaTable.bytes(nameCount), transaction)
    for (number, name) in names {
      try meta.put(MetaKey.name(number), Array(name.utf8), transaction)
      try meta.put(MetaKey.number(of: name), MetaTable.bytes(number), transaction)
    }
    for entity in schema.entities {
      try meta.put(count: counts[entity.number, default: 0], of: entity.number, transaction)
    }
  }

  /// The differences between `meta` and the folded content.
  func problems(_ meta: MetaTable, _ view: View) throws(StorageError) -> [String] {
    var problems: [String] = []
    if try meta.schema(view) != schema { problems.append("The stored schema is not what the log adds up to.") }
    if try meta.uuid(MetaKey.replica, view) != replica { problems.append("The replica is not the one of the log.") }
    if try meta.number(MetaKey.nameCount, view) != nameCount {
      problems.append("The log gave numbers to \(nameCount) names, and the store counts otherwise.")
    }
    let steps = try meta.clockSteps(from: 0, view).filter { $0.position > first ?? 0 }
    if steps != clockSteps {
      let found = clockSteps.map(\.position.description).joined(separator: ", ")
      problems.append("The clock was set back at the transactions [\(found)] of the log, and the store says otherwise.")
    }
    if let end = try? meta.head(view), end.greatestID < greatestID {
      problems.append("The log has an ID that is greater than the greatest one that the store knows.")
    }
    if let floor {
      var stored: [[UInt8]] = []
      for number in 0..<floor.nameCount { stored.append(try meta.get(MetaKey.name(number), view) ?? []) }
      if LogFloor.digest(ofNames: stored) != floor.names {
        problems.append("The names from before transaction \(floor.position) are not those of the dropped log.")
      }
      for (number, name) in stored.enumerated() {
        let name = String(decoding: name, as: UTF8.self)
        if try meta.number(MetaKey.number(of: name), view) != UInt32(number) {
          problems.append("The name '\(name)' has number \(number), and another in the store.")
        }
      }
    }
    for (number, name) in names.sorted(by: { $0.key < $1.key }) {
      if try meta.get(MetaKey.name(number), view) != Array(name.utf8) {
        problems.append("Name \(number) is '\(name)' in the log, and another in the store.")
      }
      if try meta.number(MetaKey.number(of: name), view) != number {
        problems.append("The name '\(name)' has number \(number) in the log, and another in the store.")
      }
    }
    if try meta.number(MetaKey.order, view) != OrderKey.version {
      problems.append("The indexes are in an order that this library does not make.")
    }
    for collation in try meta.outdated(schema.localeCollations, view) {
      problems.append("The order of the indexes by '\(collation.locale.string)' is not that of this program's ICU.")
    }
    if let migration = try meta.migration(view), !migration.belongs(to: schema) {
      problems.append("A migration is under way of which the log does not tell.")
    }
    // The log tells nothing of these: each must have its form.
    try meta.requireCollators(view)
    _ = try (meta.derivations(view), meta.indexBuilds(view))
    for key in try strangers(meta, view) { problems.append("Nothing reads \(MetaTable.entry(key)).") }
    return problems
  }

  /// The keys of entries that nothing reads: what a damaged key may have become.
  private func strangers(_ meta: MetaTable, _ view: View) throws(StorageError) -> [[UInt8]] {
    var known = MetaKey.single
    for (number, name) in names { known.formUnion([MetaKey.name(number), MetaKey.number(of: name)]) }
    for number in 0..<(floor?.nameCount ?? 0) {
      guard let name = try meta.get(MetaKey.name(number), view) else { continue }
      known.formUnion([MetaKey.name(number), MetaKey.number(of: String(decoding: name, as: UTF8.self))])
    }
    for entity in schema.entities {
      known.insert(MetaKey.count(entity.number))
      for property in entity.properties {
        known.formUnion([MetaKey.indexBuild(property.number), MetaKey.derivation(property.number)])
      }
    }
    var strangers: [[UInt8]] = []
    var cursor = try view.cursor(meta.table)
    while let entry = try cursor.next() {
      let key = entry.key.withUnsafeBytes { [UInt8]($0) }
      if !known.contains(key), !MetaKey.isCollator(key), MetaKey.clockStep(key: key) == nil { strangers.append(key) }
    }
    return strangers
  }
}
