import RepriseObjectModel

/// The records that the log's events add up to, of as many objects as fit.
///
/// What is folded at a time bounds the memory, not the size of the store: a fold begins with all objects from an
/// address on, and leaves the last ones out when it has too many. The next fold begins where it ended.
struct ObjectFold {
  /// An object's address, in the order of the table's keys.
  struct Address: Hashable, Comparable {
    let entity: UInt32
    let uuid: UniqueID

    static func < (left: Address, right: Address) -> Bool {
      left.entity != right.entity ? left.entity < right.entity : left.uuid < right.uuid
    }

    /// The random half of a UUID: enough, and these are hashed by the million.
    func hash(into hasher: inout Hasher) { hasher.combine(uuid.low) }
  }

  static let all = Address(entity: 0, uuid: .zero)..<Address(entity: .max, uuid: .zero)
  /// How many objects a fold has, about.
  static let size = 500_000

  /// Where its objects lie: all that the log has there, once it was read to the end.
  private(set) var slice: Range<Address>
  /// Of objects and of deleted ones.
  private(set) var records: [Address: [UInt8]] = [:]
  private let size: Int

  /// - Parameter count: How many objects there are, as far as is known.
  init(_ slice: Range<Address> = Self.all, size: Int = Self.size, expecting count: Int = 0) {
    self.slice = slice
    self.size = max(1, size)
    records.reserveCapacity(min(count, Self.limit(self.size)))
  }

  /// Those that no fold had yet.
  var rest: Range<Address> { slice.upperBound..<Self.all.upperBound }

  /// Adds an event; those of objects outside of the slice are left out.
  mutating func add(_ event: LogEvent, at position: UInt64) throws(ReplayError) {
    guard event.entity != 0 else { return }
    let address = Address(entity: event.entity, uuid: event.uuid)
    guard slice.contains(address) else { return }
    guard let index = records.index(forKey: address) else {
      records[address] = try event.replayed(on: nil, at: position)
      if records.count > Self.limit(size) { narrow() }
      return
    }
    let next = try records.values[index].lend { (before) throws(ReplayError) in
      try event.replayed(on: before, at: position)
    }
    records.values[index] = next
  }

  /// Lest every object that comes narrows it again: objects come in the order of their IDs mostly, but need not.
  private static func limit(_ size: Int) -> Int { size + size / 4 }

  private mutating func narrow() {
    let end = records.keys.sorted()[size]
    slice = slice.lowerBound..<end
    records = records.filter { $0.key < end }
  }

  mutating func remove(_ address: Address) -> [UInt8]? { records.removeValue(forKey: address) }

  /// By address.
  consuming func sorted() -> [(address: Address, record: [UInt8])] {
    records.map { (address: $0.key, record: $0.value) }.sorted { $0.address < $1.address }
  }
}
