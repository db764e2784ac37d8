import RepriseObjectModel

/// The records that the log's events add up to, of the objects of one slice.
struct ObjectFold {
  /// An object's address, in the order of the table's keys.
  struct Address: Hashable, Comparable {
    let entity: UInt32
    let uuid: UniqueID

    static func < (left: Address, right: Address) -> Bool {
      left.entity != right.entity ? left.entity < right.entity : left.uuid < right.uuid
    }
  }

  let slice: Range<Address>
  /// Of objects and of deleted ones.
  private(set) var records: [Address: [UInt8]] = [:]

  init(_ slice: Range<Address>, expecting count: Int) {
    self.slice = slice
    records.reserveCapacity(count)
  }

  /// Adds an event; those of objects outside of the slice are left out.
  mutating func add(_ event: LogEvent, at position: UInt64) throws(ReplayError) {
    guard event.entity != 0 else { return }
    let address = Address(entity: event.entity, uuid: event.uuid)
    guard slice.contains(address) else { return }
    guard let index = records.index(forKey: address) else {
      records[address] = try event.replayed(on: nil, at: position)
      return
    }
    let next = try records.values[index].lend { (before) throws(ReplayError) in
      try event.replayed(on: before, at: position)
    }
    records.values[index] = next
  }

  mutating func remove(_ address: Address) -> [UInt8]? { records.removeValue(forKey: address) }
}

/// Parts of about equal size that all objects of a log fall into: what is folded at a time bounds the memory, not the
/// size of the store.
struct FoldSlices {
  /// Objects in a slice, about.
  private let size: Int
  /// One address in 256. UUIDs are random, so these lie as all do.
  private var sample: [ObjectFold.Address] = []
  private var insertions = 0

  static let size = 500_000

  init(of size: Int = Self.size) { self.size = size }

  mutating func add(_ event: LogEvent) {
    guard event.kind == .inserted else { return }
    insertions += 1
    guard event.uuid.low & 0xFF == 0 else { return }
    sample.append(ObjectFold.Address(entity: event.entity, uuid: event.uuid))
  }

  /// How many objects a slice has, about, or fewer.
  var expected: Int { min(insertions, size) }

  /// In ascending order; together they hold every address.
  var ranges: [Range<ObjectFold.Address>] {
    let first = ObjectFold.Address(entity: 0, uuid: .zero)
    let end = ObjectFold.Address(entity: .max, uuid: .zero)
    let sorted = sample.sorted()
    let step = max(1, size / 256)
    var bounds = [first]
    for index in stride(from: step, to: sorted.count, by: step) where sorted[index] > bounds[bounds.count - 1] {
      bounds.append(sorted[index])
    }
    bounds.append(end)
    return zip(bounds, bounds.dropFirst()).map { $0..<$1 }
  }
}
