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
  }

  struct Entry {
    let address: Address
    /// Of an object or of a deleted one; `nil` once it was taken.
    var record: [UInt8]?
  }

  static let all = Address(entity: 0, uuid: .zero)..<Address(entity: .max, uuid: .zero)
  /// How many objects a fold has, about.
  static let size = 500_000

  /// Where its objects lie: all that the log has there, once it was read to the end.
  private(set) var slice: Range<Address>
  /// In the order of their first events, which is that of their addresses mostly.
  private(set) var entries: [Entry] = []
  private var table: HashIndex
  private let size: Int

  /// - Parameter count: How many objects there are, as far as is known.
  init(_ slice: Range<Address> = Self.all, size: Int = Self.size, expecting count: Int = 0) {
    self.slice = slice
    self.size = max(1, size)
    let expected = min(count, Self.limit(self.size))
    entries.reserveCapacity(expected)
    table = HashIndex(expecting: expected)
  }

  /// Those that no fold had yet.
  var rest: Range<Address> { slice.upperBound..<Self.all.upperBound }

  /// Adds an event; those of objects outside of the slice are left out.
  mutating func add(_ event: LogEvent, at position: Position) throws(ReplayError) {
    guard event.entity != 0 else { return }
    let address = Address(entity: event.entity, uuid: event.uuid)
    guard slice.contains(address) else { return }
    guard let place = place(of: address) else {
      return insert(try event.replayed(on: nil, at: position), address)
    }
    entries[place].record = try entries[place].record?.lend { (before) throws(ReplayError) in
      try event.replayed(on: before, at: position)
    }
  }

  private mutating func insert(_ record: [UInt8], _ address: Address) {
    table.insert(address.uuid.spread, entries.count)
    entries.append(Entry(address: address, record: record))
    if entries.count > Self.limit(size) { narrow() }
  }

  /// The record of an object of the slice.
  func record(of address: Address) -> [UInt8]? { place(of: address).flatMap { entries[$0].record } }

  /// Gives an object of the slice a record, whatever its events add up to.
  mutating func set(_ record: [UInt8], of address: Address) {
    guard slice.contains(address) else { return }
    if let place = place(of: address) { entries[place].record = record } else { insert(record, address) }
  }

  private func place(of address: Address) -> Int? {
    table.place(address.uuid.spread) { entries[$0].address == address }
  }

  /// Lest every object that comes narrows it again: they need not come in the order of their addresses.
  private static func limit(_ size: Int) -> Int { size + size / 4 }

  private mutating func narrow() {
    let end = entries.map(\.address).sorted()[size]
    slice = slice.lowerBound..<end
    entries.removeAll { $0.address >= end }
    table = HashIndex(expecting: Self.limit(size))
    for place in entries.indices { table.insert(entries[place].address.uuid.spread, place) }
  }

  /// Takes a record out.
  mutating func take(_ address: Address) -> [UInt8]? { place(of: address).flatMap { entries[$0].record.take() } }

  /// By address.
  consuming func sorted() -> [Entry] {
    let isSorted = entries.indices.dropFirst().allSatisfy { entries[$0 - 1].address < entries[$0].address }
    return isSorted ? entries : entries.sorted { $0.address < $1.address }
  }
}
