import RepriseEventStore
import RepriseObjectModel

/// The objects of one entity that read differently in a projection than at the head, as sorted rows.
struct PendingRows {
  /// What rows are sorted by.
  enum Order: Hashable {
    case birth
    /// By the value in a slot: of an attribute as in its index, of a to-one by its target.
    case slot(Int)
  }

  private(set) var uuids: Set<UniqueID> = []
  private var orders: [Order: Sorted] = [:]

  private struct Sorted {
    var keys: [[UInt8]] = []
    var keyOf: [UniqueID: [UInt8]] = [:]
  }

  var knownOrders: some Sequence<Order> { orders.keys }

  /// The keys of the existing objects, ascending; `nil` if rows of this order were not made yet. Each ends in a UUID.
  func keys(_ order: Order) -> [[UInt8]]? { orders[order]?.keys }

  /// The key of each object; `nil` for one that does not exist.
  func keysByObject(_ order: Order) -> [UniqueID: [UInt8]?] {
    let keys = orders[order]?.keyOf ?? [:]
    return Dictionary(uniqueKeysWithValues: uuids.lazy.map { ($0, keys[$0]) })
  }

  /// Makes the rows of an order.
  mutating func add(_ order: Order, _ keys: [(UniqueID, [UInt8])]) {
    var sorted = Sorted()
    sorted.keyOf = Dictionary(uniqueKeysWithValues: keys)
    sorted.keys = keys.map(\.1).sorted { $0.precedes($1) }
    orders[order] = sorted
  }

  mutating func insert(_ uuid: UniqueID) { uuids.insert(uuid) }

  mutating func remove(_ uuid: UniqueID) {
    guard uuids.remove(uuid) != nil else { return }
    for order in Array(orders.keys) { replace(uuid, order, by: nil) }
  }

  /// `nil` for an object that does not exist.
  mutating func replace(_ uuid: UniqueID, _ order: Order, by key: [UInt8]?) {
    guard var sorted = orders.removeValue(forKey: order) else { return }
    if let old = sorted.keyOf[uuid], old != key { sorted.keys.remove(at: Self.place(of: old, in: sorted.keys)) }
    if let key, sorted.keyOf[uuid] != key { sorted.keys.insert(key, at: Self.place(of: key, in: sorted.keys)) }
    sorted.keyOf[uuid] = key
    orders[order] = sorted
  }

  /// The number of keys that sort before this one.
  static func place(of key: [UInt8], in keys: [[UInt8]]) -> Int {
    keys.partitionPoint { !$0.precedes(key) }
  }

  static func key(_ uuid: UniqueID, _ values: ContiguousArray<PropertyValue>, _ order: Order) -> [UInt8] {
    switch order {
    case .birth: withUnsafeBytes(of: (uuid.high.bigEndian, uuid.low.bigEndian)) { [UInt8]($0) }
    case .slot(let slot): RowKey.bytes(values[slot], uuid)
    }
  }
}
