import RepriseLMDB
import RepriseObjectModel

/// The objects of one entity that the log changed after a position, with their values at the position.
///
/// One walk over the log finds the objects and the values. The walk runs forwards, so the first change of a property
/// has the value that the object had at the position. Later changes do not matter. The walk compares and copies bytes,
/// and decodes no value. So it costs a fraction of a microsecond for each transaction, where undoing the versions of
/// each object would read a frame for each version. When the head moves on, the walk continues.
package final class LoggedPast {
  /// The position of the values.
  package let position: Position
  /// The last transaction that the walk has read.
  package private(set) var end: Position
  /// The number of the entity.
  private let entity: UInt32
  private var objects: [Object] = []
  private var places = HashIndex()
  private var fields: [Field] = []
  /// The values of the fields, one after the other.
  private var bytes: [UInt8] = []

  private struct Object {
    let uuid: UniqueID
    /// Whether the object existed at the position. If it did not, its later values do not matter.
    let existed: Bool
    /// Whether it exists at ``end``.
    var exists: Bool
    /// Whether the object was deleted after the position. The deletion has all values, so the fields are complete.
    var isWhole = false
    /// Whether a value is not here, because only a part of it changed, or because it is large.
    var isPartial = false
    /// The place of the field that was added last. -1 if there is none.
    var last: Int32 = -1
  }

  private struct Field {
    /// The number of the property.
    let number: UInt32
    /// The place of the object's field before this one. -1 if there is none.
    let previous: Int32
    let start: Int
    let count: Int
  }

  /// Larger values are read from the object's events when they are needed.
  private static let largest = 1_024

  package init(of entity: EntityMap, at position: Position) {
    self.entity = entity.number
    self.position = position
    end = position
  }

  /// The number of transactions that the walk has read.
  package var transactions: Int { position.distance(to: end) }

  /// The objects that changed, each once.
  package var uuids: some Collection<UniqueID> { objects.lazy.map(\.uuid) }

  /// The number of objects that existed at the position, minus the number that exists at ``end``.
  package var balance: Int { objects.reduce(0) { $0 + ($1.existed ? 1 : 0) - ($1.exists ? 1 : 0) } }

  // MARK: The walk

  /// Reads the transactions up to a position.
  package func read(_ log: LogTable, upTo position: Position, _ view: View) throws(StorageError) {
    try log.forEachFrame(after: end, upTo: position, view) { (frame) throws(MalformedBytes) in
      var events = frame.events
      while let event = try events.next() {
        if let change = event.change, change.object.entity == entity { try add(change) }
      }
      end = frame.position
    }
  }

  private func add(_ change: Change) throws(MalformedBytes) {
    let uuid = change.object.uuid
    let place: Int
    if let known = self.place(of: uuid) {
      place = known
    } else {
      place = objects.count
      objects.append(Object(uuid: uuid, existed: change.kind.existsBefore, exists: true))
      places.insert(uuid.spread, place)
    }
    // Like `ChangeKind.followed(by:)`: the existence before the first change, and after the last.
    objects[place].exists = change.kind.existsAfter
    guard objects[place].existed, !objects[place].isWhole else { return }
    var changed = change.fields
    while let (number, field) = try changed.next() {
      switch field {
      case .set(let old, _): add(number, old, to: place)
      case .splice: if !has(number, place) { objects[place].isPartial = true }
      case .redacted:
        let erased = CollectionOfOne(ValueTag.redacted.rawValue)
        erased.span.bytes.withUnsafeBytes { add(number, $0, to: place) }
      }
    }
    if change.kind == .deleted { objects[place].isWhole = true }
  }

  private func add(_ number: UInt32, _ value: UnsafeRawBufferPointer, to place: Int) {
    if has(number, place) { return }
    if value.count > Self.largest {
      objects[place].isPartial = true
      return
    }
    fields.append(Field(number: number, previous: objects[place].last, start: bytes.count, count: value.count))
    objects[place].last = Int32(fields.count - 1)
    bytes.append(contentsOf: value)
  }

  private func has(_ number: UInt32, _ place: Int) -> Bool {
    var next = objects[place].last
    while next >= 0 {
      if fields[Int(next)].number == number { return true }
      next = fields[Int(next)].previous
    }
    return false
  }

  private func place(of uuid: UniqueID) -> Int? { places.place(uuid.spread) { objects[$0].uuid == uuid } }

  // MARK: Values

  /// The state of an object that the walk has found.
  package enum Finding {
    case values(ContiguousArray<PropertyValue>?)
    /// The walk lacks values of the object, so its versions must be undone one by one.
    case incomplete
  }

  /// The values of an object at the position.
  ///
  /// - Parameter now: Its values at ``end``. `nil` if it does not exist there.
  package func values(
    of uuid: UniqueID, from now: ContiguousArray<PropertyValue>?, _ entity: EntityMap, _ map: SchemaMap
  ) throws(MalformedBytes) -> Finding {
    guard let place = place(of: uuid) else { return .values(now) }
    let object = objects[place]
    if !object.existed { return .values(nil) }
    guard !object.isPartial, var values = object.isWhole ? entity.defaults : now else { return .incomplete }
    var next = object.last
    while next >= 0 {
      let field = fields[Int(next)]
      if let slot = entity.slot(field.number) {
        values[slot] = try bytes.lend { (bytes) throws(MalformedBytes) in
          let raw = UnsafeRawBufferPointer(rebasing: bytes[field.start..<field.start + field.count])
          return try entity.value(raw, slot, map)
        }
      }
      next = field.previous
    }
    return .values(values)
  }
}
