import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// The progress of an index that is being built. It is in `meta`, and written with each slice.
///
/// At ``mark``, the index has exactly the rows of all objects before ``next``. Of the batch's objects, it also has the
/// rows up to the last key. So saves in between need not know the index, because their changes are read from the log.
package struct IndexBuildState: Equatable {
  /// Objects that are read and sorted together. Their rows are written in the order of the index.
  struct Batch: Equatable {
    /// The first object after the batch. `nil` if the batch has the last object.
    let end: UniqueID?
    /// The key of the last row that is written.
    var last: [UInt8]
  }

  /// The number of the index in the keys of its rows. The schema gets the number once the index is ready.
  let index: UInt32
  /// Whether there may be rows of something else under the number, which are removed first.
  let isClearing: Bool
  /// The versions of the collators that sort it.
  let orders: [UInt32]
  var mark: LogMark
  /// The number of rows.
  var rows = 0
  /// The number of finished objects, for the reported progress.
  var done = 0
  /// The first unfinished object. `nil` if all are finished.
  var next: UniqueID? = .zero
  var batch: Batch?

  init(index: UInt32, isClearing: Bool = false, orders: [UInt32] = [], mark: LogMark = LogMark(position: 0)) {
    self.index = index
    self.isClearing = isClearing
    self.orders = orders
    self.mark = mark
  }

  /// The number of index numbers to skip. So no other index gets the number during the build, and no rows that are
  /// still being removed have it.
  static let gap: UInt32 = 1 << 16

  /// A number for an index that is greater than all these numbers.
  static func number(behind numbers: some Sequence<UInt32>) -> UInt32 {
    let last = numbers.max() ?? 0
    return last < .max - gap ? last + gap : last + 1
  }

  // MARK: Bytes

  private static let isClearingFlag: UInt8 = 1
  private static let hasNextFlag: UInt8 = 2
  private static let hasBatchFlag: UInt8 = 4
  private static let hasEndFlag: UInt8 = 8

  func encoded() -> [UInt8] {
    var writer = ByteWriter.sealing(reserving: 64 + (batch?.last.count ?? 0))
    writer.varint(UInt64(index))
    writer.append(
      (isClearing ? Self.isClearingFlag : 0) | (next != nil ? Self.hasNextFlag : 0)
        | (batch != nil ? Self.hasBatchFlag : 0) | (batch?.end != nil ? Self.hasEndFlag : 0))
    writer.varint(mark.position.number)
    writer.varint(mark.events)
    writer.varint(rows)
    writer.varint(done)
    writer.varint(orders.count)
    for order in orders { writer.varint(UInt64(order)) }
    if let next { writer.uuid(next) }
    if let end = batch?.end { writer.uuid(end) }
    if let batch { writer.sized(batch.last) }
    return writer.sealed()
  }

  package init(encoded bytes: UnsafeRawBufferPointer) throws(MalformedBytes) {
    var reader = try ByteReader(sealed: bytes)
    index = try reader.indexNumber()
    let flags = try reader.byte("the flags of a state")
    let known = Self.isClearingFlag | Self.hasNextFlag | Self.hasBatchFlag | Self.hasEndFlag
    guard flags & ~known == 0 else { throw reader.fail("known flags") }
    isClearing = flags & Self.isClearingFlag != 0
    mark = LogMark(position: try reader.position(), events: Int(try reader.number("a number of events")))
    // No file has more rows, and adding to their number cannot overflow.
    rows = Int(min(try reader.varint("a number of rows"), 1 << 48))
    done = Int(min(try reader.varint("a number of objects"), 1 << 48))
    var orders: [UInt32] = []
    for _ in 0..<(try reader.count(of: 1, "the number of orders")) { orders.append(try reader.number("an order")) }
    self.orders = orders
    next = flags & Self.hasNextFlag != 0 ? try reader.uuid("an object's UUID") : nil
    let end = flags & Self.hasEndFlag != 0 ? try reader.uuid("an object's UUID") : nil
    if flags & Self.hasBatchFlag != 0 { batch = Batch(end: end, last: [UInt8](try reader.sized("a row key"))) }
    try reader.expectEnd("the state of an index to end")
  }
}

extension StoredProperty {
  /// The versions of the collators that sort its index.
  var orders: [UInt32] { localeCollations.map { $0.collator?.version ?? 0 } }
}

/// A place in the log: after a number of events of the transaction that follows the position.
struct LogMark: Equatable, Comparable {
  var position: Position
  var events = 0

  static func < (lhs: LogMark, rhs: LogMark) -> Bool { (lhs.position, lhs.events) < (rhs.position, rhs.events) }
}

extension MetaTable {
  func indexBuild(_ property: UInt32, _ view: View) throws(StorageError) -> IndexBuildState? {
    try parsed(MetaKey.indexBuild(property), view) { (bytes) throws(MalformedBytes) in
      try IndexBuildState(encoded: bytes)
    }
  }

  /// The builds that are no longer needed: the index exists, or its property was retired.
  func needlessBuilds(_ schema: StoredSchema, _ view: View) throws(StorageError) -> [UnbuiltIndex] {
    let prefix = [UInt8](MetaKey.indexBuild(0).prefix(1))
    var cursor = try view.cursor(table)
    // Usually there is none, which costs only a seek.
    guard let first = try cursor.seek(prefix.span.bytes),
      first.key.withUnsafeBytes({ MetaKey.indexBuild(key: $0) }) != nil
    else { return [] }
    return try indexBuilds(view).keys.sorted().compactMap { property in
      let entity = schema.entities.first { $0.property(number: property) != nil }
      let target = UnbuiltIndex(entity: entity?.number ?? 0, property: property, uniqueness: .none, isRequired: false)
      return target.isReady(in: schema) ? target : nil
    }
  }

  /// All builds under way, by the number of the property.
  func indexBuilds(_ view: View) throws(StorageError) -> [UInt32: IndexBuildState] {
    var builds: [UInt32: IndexBuildState] = [:]
    let prefix = [UInt8](MetaKey.indexBuild(0).prefix(1))
    var cursor = try view.cursor(table)
    var properties: [UInt32] = []
    var entry = try cursor.seek(prefix.span.bytes)
    while let found = entry, let property = found.key.withUnsafeBytes({ MetaKey.indexBuild(key: $0) }) {
      properties.append(property)
      entry = try cursor.next()
    }
    for property in properties { builds[property] = try indexBuild(property, view) }
    return builds
  }

  /// Writes the state of a build. `nil` removes the state.
  func put(
    _ state: IndexBuildState?, of property: UInt32, _ transaction: borrowing WriteTransaction
  ) throws(StorageError) {
    let key = MetaKey.indexBuild(property)
    if let state {
      try put(key, state.encoded(), transaction)
    } else {
      try transaction.delete(table, key: key.span.bytes)
    }
  }
}
