import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// The rows of an index in the order of an attribute, if they are exactly the objects of a fetch. Some aggregates then
/// need only the first or the last row.
///
/// Every method returns `nil` if the index has too many differences from the head. Then the objects must be read.
struct CoveredRange {
  private let projection: Projection
  private let map: EntityMap
  private let slot: Int
  /// The slot of the index.
  let indexSlot: Int
  /// The bytes of each row key before the value.
  private let prefix: [UInt8]
  private let index: IndexSnapshot
  private let ranks: Range<Int>

  /// A run is a number of rows with the same value. Steps from run to run pay off if there are at least this many runs,
  /// with at least this many rows on average. A step costs about as much as reading that many rows.
  private static let patience = 64

  init?(
    _ fetch: CompiledFetch, _ map: EntityMap, slot: Int, _ collation: Collation, _ projection: Projection
  ) throws(StoreError) {
    guard fetch.limit == nil, fetch.offset == 0, fetch.accessIsExact,
      let (place, range, prefix) = fetch.rangeOfValues(in: slot, collation),
      let index = try projection.index(map, slot: place)
    else { return nil }
    self.prefix = prefix
    self.projection = projection
    self.map = map
    self.slot = slot
    indexSlot = place
    self.index = index
    let ranks: Range<Int>? = try Self.ask { () throws(IndexSnapshot.Failure) in try index.ranks(in: range) }
    guard let ranks else { return nil }
    self.ranks = ranks
  }

  /// The number of objects that have a value. O(log n).
  func countOfValues() throws(StoreError) -> Int? {
    try Self.ask { () throws(IndexSnapshot.Failure) in ranks.upperBound - (try firstValue()) }
  }

  /// The least value, of the oldest object that has it. Null if there is none. O(log n).
  func minimum() throws(StoreError) -> PropertyValue? {
    let key: [UInt8]?? = try Self.ask { () throws(IndexSnapshot.Failure) in
      let first = try firstValue()
      return first < ranks.upperBound ? try index.rowKey(at: first) : nil
    }
    return try value(ofRow: key)
  }

  /// The greatest value, of the oldest object that has it. Null if there is none. O(log n).
  func maximum() throws(StoreError) -> PropertyValue? {
    let key: [UInt8]?? = try Self.ask { () throws(IndexSnapshot.Failure) in
      guard try firstValue() < ranks.upperBound, let last = try index.rowKey(at: ranks.upperBound - 1) else {
        return nil
      }
      return try index.rowKey(at: index.rank(of: throughValue(last)))
    }
    return try value(ofRow: key)
  }

  /// Passes the first row of each run of equal values to `body`, with the run's length: a loose index scan.
  /// O(runs × log n). `nil` also if the runs are so short that reading all rows is cheaper.
  ///
  /// - Parameter withNil: Whether objects without a value are a run, too.
  func forEachRun(
    withNil: Bool, _ body: ([UInt8], _ length: Int) throws(StoreError) -> Void
  ) throws(StoreError) -> Void? {
    guard var rank = withNil ? ranks.lowerBound : try Self.ask(firstValue) else { return nil }
    let start = rank
    var runs = 0
    while rank < ranks.upperBound {
      let run: (key: [UInt8], end: Int)?? = try Self.ask { () throws(IndexSnapshot.Failure) in
        guard let key = try index.rowKey(at: rank), let next = OrderKey.successor(of: throughValue(key))
        else { return nil }
        return (key, min(ranks.upperBound, try index.rank(of: next)))
      }
      guard let run = run ?? nil, run.end > rank else { return nil }
      runs += 1
      if runs == Self.patience, run.end - start < Self.patience * Self.patience { return nil }
      try body(run.key, run.end - rank)
      rank = run.end
    }
    return ()
  }

  /// The value of a row's object, as it is stored. Reads the object if the key does not have the stored value: a key
  /// has the composed form of a text, and 0 for -0.
  func value(ofRow key: [UInt8]) throws(StoreError) -> PropertyValue? {
    if let value = OrderKey.exactValue(key.dropFirst(prefix.count)) { return value }
    guard let uuid = RowKey.uuid(key) else { return nil }
    return try projection.read(AnyObjectID(map.entity.interned, uuid), map)?[slot]
  }

  private func value(ofRow key: [UInt8]??) throws(StoreError) -> PropertyValue? {
    guard let key else { return nil }
    guard let key else { return .null }
    return try value(ofRow: key)
  }

  /// A row key up to the end of the value.
  private func throughValue(_ key: [UInt8]) -> [UInt8] {
    Array(key.prefix(prefix.count + (OrderKey.length(Array(key.dropFirst(prefix.count))) ?? 0)))
  }

  /// The rank of the first row with a value. Rows of nil come first.
  private func firstValue() throws(IndexSnapshot.Failure) -> Int {
    max(ranks.lowerBound, try index.rank(of: prefix + [OrderKey.Tag.null.rawValue + 1]))
  }

  private static func ask<Answer>(
    _ question: () throws(IndexSnapshot.Failure) -> Answer
  ) throws(StoreError) -> Answer? {
    do throws(IndexSnapshot.Failure) {
      return try question()
    } catch {
      switch error {
      case .store(let error): throw error
      case .outgrown: return nil
      }
    }
  }
}
