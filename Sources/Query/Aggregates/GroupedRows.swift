import RepriseObjectModel

/// The groups of a grouped fetch under construction: a hash table by key, with the aggregates of each group. Takes
/// memory for each group, and none for the objects.
package struct GroupedRows {
  private let grouping: CompiledGrouping
  private var places = HashIndex()
  private var groups: [Entry] = []
  /// The accumulators of all groups, group by group.
  private var accumulators: [Accumulator] = []
  /// For each key behind a to-one: the known keys by target, because many objects share a target.
  private var known: [[AnyObjectID: PropertyValue]]
  private var key: [UInt8] = []

  /// The groups' keys one after another, so that a probe finds them in the cache.
  private var arena: [UInt8] = []
  /// The slot of each aggregate, if it is over an attribute of the objects themselves.
  private let ownSlots: [Int?]
  /// For each aggregate, whether all values must belong to the attribute's type.
  private let isChecked: [Bool]
  /// The first object with a value that does not belong to the attribute's type, and the index of the aggregate.
  private var misread: (aggregate: Int, value: PropertyValue, object: AnyObjectID)?
  /// The slot, if the only key is a number or a date of the objects themselves. Such a key is hashed without its bytes.
  private let numberSlot: Int?
  private let seed = UInt64(truncatingIfNeeded: Hasher().finalize())

  private struct Entry {
    /// The place of the group's key in the arena.
    let key: Range<Int>
    var keys: [PropertyValue]
    /// The bits of the key, if the group is found by a number.
    var number: UInt64?
    var count = 0
    /// The oldest object of the group. Its keys are the group's keys.
    var oldest: UniqueID
  }

  /// The most known keys behind a to-one.
  private static let knownLimit = 16_384

  package init(_ grouping: CompiledGrouping) {
    self.grouping = grouping
    known = grouping.keys.map { _ in [:] }
    ownSlots = grouping.aggregates.map(\.ownAttribute)
    isChecked = grouping.aggregates.map(\.checksEveryValue)
    numberSlot = grouping.ownKey?.slot
    // Aggregates without groups have results even if there are no objects.
    if grouping.keys.isEmpty { open([], [], of: .zero) }
  }

  /// Adds an object to its group.
  package mutating func add(
    _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource
  ) {
    let place = grouping.keys.isEmpty ? 0 : place(values, id, source)
    groups[place].count += 1
    let first = place * ownSlots.count
    for index in ownSlots.indices {
      if let slot = ownSlots[index] {
        if isChecked[index] { check(index, values[slot], id) }
        // Most aggregates are sums of integers. Copying an accumulator out of its array would cost more than the rest
        // of the loop.
        if case .int(let number) = values[slot], accumulators[first + index].addToSum(number) { continue }
        grouping.aggregates[index].add(values[slot], of: id.uuid, to: &accumulators[first + index])
      } else {
        let aggregate = grouping.aggregates[index]
        let value = aggregate.term?.value(values, id, source) ?? .null
        if isChecked[index] { check(index, value, id) }
        aggregate.add(value, of: id.uuid, to: &accumulators[first + index])
      }
    }
  }

  private mutating func check(_ aggregate: Int, _ value: PropertyValue, _ id: AnyObjectID) {
    if misread == nil, grouping.aggregates[aggregate].misreads(value) { misread = (aggregate, value, id) }
  }

  private mutating func place(
    _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource
  ) -> Int {
    if let numberSlot, let number = OrderKey.number(of: values[numberSlot]) {
      return place(of: number, values[numberSlot], id)
    }
    key.removeAll(keepingCapacity: true)
    for (index, part) in grouping.keys.enumerated() {
      OrderKey.append(part.compared(keyValue(index, values, id, source)), to: &key)
    }
    // A dictionary would hash the bytes one by one.
    var hasher = Hasher()
    key.withUnsafeBytes { hasher.combine(bytes: $0) }
    let hash = UInt64(truncatingIfNeeded: hasher.finalize())
    if let place = places.place(hash, { isKey($0) }) {
      if id.uuid < groups[place].oldest {
        groups[place].oldest = id.uuid
        groups[place].keys = grouping.keys.indices.map { keyValue($0, values, id, source) }
      }
      return place
    }
    let place = groups.count
    places.insert(hash, place)
    open(key, grouping.keys.indices.map { keyValue($0, values, id, source) }, of: id.uuid)
    return place
  }

  private mutating func place(of number: UInt64, _ value: PropertyValue, _ id: AnyObjectID) -> Int {
    let product = (number ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    let hash = product.high ^ product.low
    if let place = places.place(hash, { groups[$0].number == number }) {
      if id.uuid < groups[place].oldest {
        groups[place].oldest = id.uuid
        groups[place].keys = [value]
      }
      return place
    }
    let place = groups.count
    places.insert(hash, place)
    open(Self.key(of: [value]), [value], of: id.uuid)
    groups[place].number = number
    return place
  }

  /// Whether ``key`` is the key of a group.
  private func isKey(_ place: Int) -> Bool {
    arena.withUnsafeBytes { arena in
      key.withUnsafeBytes { compareBytes(UnsafeRawBufferPointer(rebasing: arena[groups[place].key]), $0) == 0 }
    }
  }

  private mutating func keyValue(
    _ index: Int, _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource
  ) -> PropertyValue {
    let key = grouping.keys[index]
    guard let hop = key.term.hops.first, hop.stores, let target = values[hop.slot].reference else {
      return key.function(key.term.value(values, id, source), key.term.collation)
    }
    if let value = known[index][target] { return value }
    let value = key.function(key.term.value(values, id, source), key.term.collation)
    if known[index].count >= Self.knownLimit { known[index].removeAll(keepingCapacity: true) }
    known[index][target] = value
    return value
  }

  private mutating func open(_ key: [UInt8], _ keys: [PropertyValue], of uuid: UniqueID) {
    groups.append(Entry(key: arena.count..<arena.count + key.count, keys: keys, oldest: uuid))
    arena += key
    for aggregate in grouping.aggregates { accumulators.append(aggregate.empty) }
  }

  /// The groups with their results, in no order.
  ///
  /// - Throws: ``FetchError``: a sum overflows, or an object has a value that its attribute's type cannot hold.
  package consuming func rows() throws(FetchError) -> [CompiledGrouping.Row] {
    if let misread { throw grouping.aggregates[misread.aggregate].misread(misread.value, of: misread.object) }
    let entity = grouping.fetch.entity.interned
    var rows: [CompiledGrouping.Row] = []
    rows.reserveCapacity(groups.count)
    let width = grouping.aggregates.count
    for (place, group) in groups.enumerated() {
      var values: [PropertyValue] = []
      for (index, aggregate) in grouping.aggregates.enumerated() {
        values.append(try aggregate.result(accumulators[place * width + index], of: entity))
      }
      rows.append(
        CompiledGrouping.Row(
          key: Array(arena[group.key]), keys: group.keys, count: group.count, oldest: group.oldest, values: values))
    }
    return rows
  }

  /// Bytes with the order of the values. They are equal exactly if the values compare equal.
  package static func key(of values: [PropertyValue]) -> [UInt8] {
    var key: [UInt8] = []
    for value in values { OrderKey.append(value, to: &key) }
    return key
  }
}
