import RepriseLog
import RepriseObjectModel

/// The records of objects, folded from the log's events, for as many objects as fit.
///
/// The memory is bounded by the size of a fold, not of the store: a fold begins with all objects from an address on,
/// and drops the last ones when it has too many. The next fold begins where it ended.
struct ObjectFold {
  struct Entry {
    let address: ObjectAddress
    /// The record of an object or its tombstone. `nil` after it was taken.
    var record: [UInt8]?
  }

  static let all = ObjectAddress(entity: 0, uuid: .zero)..<ObjectAddress(entity: .max, uuid: .zero)
  /// The approximate number of objects in a fold.
  static let size = 500_000

  /// The range of the fold's addresses. After the whole log was read, the fold has all objects in this range.
  private(set) var slice: Range<ObjectAddress>
  /// In the order of their first events, which is mostly the order of their addresses.
  private(set) var entries: [Entry] = []
  private var table: HashIndex
  private let size: Int

  /// - count: The expected number of objects.
  init(_ slice: Range<ObjectAddress> = Self.all, size: Int = Self.size, expecting count: Int = 0) {
    self.slice = slice
    self.size = max(1, size)
    let expected = min(count, Self.limit(self.size))
    entries.reserveCapacity(expected)
    table = HashIndex(expecting: expected)
  }

  /// The addresses left for later folds.
  var rest: Range<ObjectAddress> { slice.upperBound..<Self.all.upperBound }

  /// Adds an event, unless its object is outside the slice.
  mutating func add(_ event: LogEvent, at position: Position) throws(ReplayError) {
    guard let address = event.change?.object, slice.contains(address) else { return }
    guard let place = place(of: address) else {
      return insert(try event.replayed(on: nil, at: position), address)
    }
    entries[place].record = try entries[place].record?.lend { (before) throws(ReplayError) in
      try event.replayed(on: before, at: position)
    }
  }

  private mutating func insert(_ record: [UInt8], _ address: ObjectAddress) {
    table.insert(address.uuid.spread, entries.count)
    entries.append(Entry(address: address, record: record))
    if entries.count > Self.limit(size) { narrow() }
  }

  /// The record of an object of the slice.
  func record(of address: ObjectAddress) -> [UInt8]? { place(of: address).flatMap { entries[$0].record } }

  /// Sets the record of an object of the slice, overriding its events.
  mutating func set(_ record: [UInt8], of address: ObjectAddress) {
    guard slice.contains(address) else { return }
    if let place = place(of: address) { entries[place].record = record } else { insert(record, address) }
  }

  private func place(of address: ObjectAddress) -> Int? {
    table.place(address.uuid.spread) { entries[$0].address == address }
  }

  /// The limit includes slack, so that not every new object narrows the slice again: objects may come in any order.
  private static func limit(_ size: Int) -> Int { size + size / 4 }

  private mutating func narrow() {
    let end = entries.map(\.address).sorted()[size]
    slice = slice.lowerBound..<end
    entries.removeAll { $0.address >= end }
    table = HashIndex(expecting: Self.limit(size))
    for place in entries.indices { table.insert(entries[place].address.uuid.spread, place) }
  }

  /// Removes a record and returns it.
  mutating func take(_ address: ObjectAddress) -> [UInt8]? { place(of: address).flatMap { entries[$0].record.take() } }

  /// The entries, ordered by address.
  consuming func sorted() -> [Entry] {
    let isSorted = entries.indices.dropFirst().allSatisfy { entries[$0 - 1].address < entries[$0].address }
    return isSorted ? entries : entries.sorted { $0.address < $1.address }
  }
}
