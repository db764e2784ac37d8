import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The content that the table `meta` must have, folded from the log. The table repeats parts of the log for quick
/// reading, so undetected damage to it could, for example, attribute changes to the wrong author.
struct MetaFold {
  private(set) var schema = StoredSchema()
  /// The transactions that declared entities and properties, by number. Declarations before the floor are missing.
  private(set) var declarations = SchemaDeclarations()
  private var replica: UniqueID?
  private var names: [UInt32: String] = [:]
  private var nameCount: UInt32 = 0
  private var clockSteps: [ClockStep] = []
  /// The first frame that was added.
  private var first: Position?
  private var lastTime = Int64.min
  /// The greatest ID of the transactions and of the objects that they inserted.
  private(set) var greatestID = UniqueID.zero
  private let floor: LogFloor?

  /// - floor: The beginning of the log. `nil` if the log is whole.
  init(from floor: LogFloor? = nil) {
    self.floor = floor
    guard let floor else { return }
    (schema, replica, nameCount) = (floor.schema, floor.replica, floor.nameCount)
  }

  /// The lowest number of a name in the folded transactions.
  var firstName: UInt32? { names.keys.min() }

  /// The floor at the next position, for dropping the folded transactions. Names from before an earlier floor are read
  /// from `meta`. The names of the folded transactions must stay in `meta`.
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

  /// Writes the folded content and these numbers of objects to `meta`, and removes entries that nothing reads.
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
    try writeNames(meta, transaction)
    // Only `meta` has the names from before the floor. The entries that lead from names to numbers repeat them.
    for number in 0..<(floor?.nameCount ?? 0) {
      guard let name = try meta.get(MetaKey.name(number), transaction.view) else { continue }
      try meta.put(name: String(decoding: name, as: UTF8.self), number: number, transaction)
    }
    for entity in schema.entities {
      try meta.put(count: counts[entity.number, default: 0], of: entity.number, transaction)
    }
  }

  /// Writes the names that the folded transactions number.
  func writeNames(_ meta: MetaTable, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    for (number, name) in names { try meta.put(name: name, number: number, transaction) }
  }

  /// The differences between `meta` and the folded content.
  func problems(_ meta: MetaTable, _ view: View) throws(StorageError) -> [StoreFinding] {
    var problems: [StoreFinding] = []
    if try meta.schema(view) != schema { problems.append(.otherSchema) }
    let copy = try meta.uuid(MetaKey.replica, view)
    // The first transaction repeats the ID. A store of screens only has none.
    if copy != replica, floor != nil || first != nil { problems.append(.otherReplica(copy, log: replica)) }
    let stored = try meta.number(MetaKey.nameCount, view)
    if stored != nameCount { problems.append(.nameCount(log: nameCount, stored: stored)) }
    let steps = try meta.clockSteps(from: 0, view).filter { $0.position > first ?? 0 }
    if steps != clockSteps { problems.append(.clock(clockSteps.map(\.position))) }
    if let end = try? meta.head(view), end.greatestID < greatestID { problems.append(.greatestID) }
    if let floor {
      var stored: [[UInt8]] = []
      for number in 0..<floor.nameCount { stored.append(try meta.get(MetaKey.name(number), view) ?? []) }
      if LogFloor.digest(ofNames: stored) != floor.names {
        problems.append(.droppedNames(first: floor.position))
      }
      for (number, name) in stored.enumerated() {
        let name = String(decoding: name, as: UTF8.self)
        if try meta.number(MetaKey.number(of: name), view) != UInt32(number) {
          problems.append(.name(name, number: UInt32(number)))
        }
      }
    }
    for (number, name) in names.sorted(by: { $0.key < $1.key }) {
      let isText = try meta.get(MetaKey.name(number), view) == Array(name.utf8)
      let isNumber = try meta.number(MetaKey.number(of: name), view) == number
      if !isText || !isNumber {
        problems.append(.name(name, number: number))
      }
    }
    if try meta.number(MetaKey.order, view) != OrderKey.version { problems.append(.sortOrder) }
    for collation in try meta.outdated(schema.localeCollations, view) {
      problems.append(.localeOrder(collation.locale.string))
    }
    if let migration = try meta.migration(view), !migration.belongs(to: schema) {
      problems.append(.strayMigration)
    }
    // The log has no record of these entries, so only their form is checked.
    try meta.requireCollators(view)
    _ = try (meta.derivations(view), meta.indexBuilds(view), meta.place(view))
    for key in try strangers(meta, view) { problems.append(.unreadEntry(MetaTable.entry(key))) }
    return problems
  }

  /// The keys of entries that nothing reads, for example because a key was damaged.
  private func strangers(_ meta: MetaTable, _ view: View) throws(StorageError) -> [[UInt8]] {
    var known = MetaKey.single
    if try !meta.isShared(view) { known.remove(MetaKey.place) }
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
