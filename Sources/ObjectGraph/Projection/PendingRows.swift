import RepriseEventStore
import RepriseObjectModel

/// The objects of one entity that read differently in a projection than at the head, as sorted rows.
struct PendingRows {
  /// The sort order of rows.
  enum Order: Hashable {
    case birth
    /// By the value in a slot. An attribute sorts as in its index, a to-one by its target, and an index that is a
    /// separate property as in that index.
    case slot(Int)
  }

  private let entity: Entity
  private(set) var uuids: Set<UniqueID> = []
  private var orders: [Order: Sorted] = [:]

  private struct Sorted {
    var keys: [[UInt8]] = []
    var keysOf: [UniqueID: [[UInt8]]] = [:]
  }

  init(_ entity: Entity) { self.entity = entity }

  var knownOrders: some Sequence<Order> { orders.keys }

  /// The keys of the existing objects, ascending. `nil` if rows of this order were not made yet. Each ends in a UUID.
  func keys(_ order: Order) -> [[UInt8]]? { orders[order]?.keys }

  /// The keys of each object. An object that does not exist has none.
  func keysByObject(_ order: Order) -> [UniqueID: [[UInt8]]] {
    let keys = orders[order]?.keysOf ?? [:]
    return Dictionary(uniqueKeysWithValues: uuids.lazy.map { ($0, keys[$0] ?? []) })
  }

  /// The keys of an object. Empty if it does not exist. `nil` if it does not differ from the head.
  func keys(of uuid: UniqueID, _ order: Order) -> [[UInt8]]? {
    uuids.contains(uuid) ? orders[order]?.keysOf[uuid] ?? [] : nil
  }

  /// Whether one of the objects exists in an order with rows.
  func hasKeys(_ uuid: UniqueID, _ order: Order) -> Bool { orders[order]?.keysOf[uuid] != nil }

  /// Makes the rows of an order.
  mutating func add(_ order: Order, _ keys: [(UniqueID, [[UInt8]])]) {
    var sorted = Sorted()
    sorted.keysOf = Dictionary(uniqueKeysWithValues: keys)
    sorted.keys = keys.flatMap(\.1).sorted { $0.precedes($1) }
    orders[order] = sorted
  }

  mutating func insert(_ uuid: UniqueID) { uuids.insert(uuid) }

  mutating func remove(_ uuid: UniqueID) {
    guard uuids.remove(uuid) != nil else { return }
    for order in Array(orders.keys) { replace(uuid, order, by: []) }
  }

  /// Replaces the keys of an object. `keys` is empty if the object does not exist.
  mutating func replace(_ uuid: UniqueID, _ order: Order, by keys: [[UInt8]]) {
    guard var sorted = orders.removeValue(forKey: order) else { return }
    let old = sorted.keysOf[uuid] ?? []
    if old != keys {
      for key in old { sorted.keys.remove(at: Self.place(of: key, in: sorted.keys)) }
      for key in keys { sorted.keys.insert(key, at: Self.place(of: key, in: sorted.keys)) }
      sorted.keysOf[uuid] = keys.isEmpty ? nil : keys
    }
    orders[order] = sorted
  }

  /// The number of keys that sort before this one.
  static func place(of key: [UInt8], in keys: [[UInt8]]) -> Int {
    keys.partitionPoint { !$0.precedes(key) }
  }

  /// The objects with a row in a range of an order with rows.
  func objects(in range: KeyRange, of order: Order) -> [UniqueID] {
    guard let keys = keys(order) else { return [] }
    return keys[Self.places(in: range, keys)].compactMap { RowKey.uuid($0) }
  }

  /// The objects whose to-one in a slot leads to one of these targets. The order by this slot must have rows.
  func objects(leadingTo targets: [AnyObjectID], slot: Int) -> Set<UniqueID> {
    var found: Set<UniqueID> = []
    for target in targets {
      let prefix = OrderKey.bytes(of: .reference(target))
      found.formUnion(objects(in: KeyRange(beginningWith: prefix), of: .slot(slot)))
    }
    return found
  }

  static func places(in range: KeyRange, _ keys: [[UInt8]]) -> Range<Int> {
    let lower = place(of: range.lower, in: keys)
    return lower..<max(lower, range.upper.map { place(of: $0, in: keys) } ?? keys.count)
  }

  /// The keys of an object with these values.
  func keys(of uuid: UniqueID, _ values: ContiguousArray<PropertyValue>, _ order: Order) -> [[UInt8]] {
    switch order {
    case .birth: [Self.keyOfBirth(uuid)]
    case .slot(let slot): entity.rowKeys(slot, values, uuid)
    }
  }

  static func keyOfBirth(_ uuid: UniqueID) -> [UInt8] {
    withUnsafeBytes(of: (uuid.high.bigEndian, uuid.low.bigEndian)) { [UInt8]($0) }
  }
}
