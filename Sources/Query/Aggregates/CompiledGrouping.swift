import RepriseObjectModel

/// A grouped fetch with its names resolved. Without keys, it aggregates over all objects that a fetch finds.
package struct CompiledGrouping: Sendable {
  package let fetch: CompiledFetch
  /// The computed values for each group. The selected columns come first, then any further values that the condition or
  /// the order needs.
  package let aggregates: [CompiledAggregate]
  let keys: [Key]
  /// The name of each key, and the attribute if some stored values of its kind do not belong to its type.
  private let narrowKeys: [(name: String, attribute: Property.AttributeDescription?)]
  private let columnCount: Int
  private let condition: [Step]
  private let order: [Order]
  private let limit: Int?
  private let offset: Int

  struct Key: Hashable, Sendable {
    let term: CompiledTerm
    let function: GroupFunction

    /// The key in the form for binary comparison. Names of sections already have that form.
    func compared(_ key: PropertyValue) -> PropertyValue { function == .value ? term.collation.key(of: key) : key }
  }

  private struct Order: Sendable {
    /// The index among the keys followed by the aggregates.
    let place: Int
    let isAscending: Bool
  }

  private enum Step: Sendable {
    case compare(place: Int, Comparison, PropertyValue)
    case not
    case and
    case or
  }

  package init<Model: PersistentModel, Key, Values>(
    _ grouped: GroupedFetch<Model, Key, Values>, schema: ResolvedSchema
  ) throws(FetchError) {
    try self.init(
      CompiledFetch(grouped.fetch, schema: schema), keys: grouped.keys, columns: grouped.columns,
      condition: grouped.condition?.steps ?? [], order: grouped.order, limit: grouped.limit, offset: grouped.offset,
      schema: schema)
  }

  package init(
    _ fetch: CompiledFetch, keys: [GroupTerm], columns: [AggregateTerm], schema: ResolvedSchema
  ) throws(FetchError) {
    try self.init(
      fetch, keys: keys, columns: columns, condition: [], order: [], limit: nil, offset: 0, schema: schema)
  }

  private init(
    _ fetch: CompiledFetch, keys: [GroupTerm], columns: [AggregateTerm], condition: [GroupStep],
    order: [GroupOrderTerm], limit: Int?, offset: Int, schema: ResolvedSchema
  ) throws(FetchError) {
    let entity = fetch.entity
    if let limit, limit < 0 { throw .negativeLimit(limit) }
    guard offset >= 0 else { throw .negativeOffset(offset) }
    self.fetch = fetch
    self.limit = limit
    self.offset = offset
    var compiledKeys: [CompiledGrouping.Key] = []
    for key in keys {
      compiledKeys.append(
        CompiledGrouping.Key(term: try CompiledTerm(key.term, of: entity, in: schema), function: key.function))
    }
    self.keys = compiledKeys
    var narrowKeys: [(name: String, attribute: Property.AttributeDescription?)] = []
    for key in keys {
      narrowKeys.append((key.term.description, try CompiledTerm.narrow(key.term, of: entity, in: schema)))
    }
    self.narrowKeys = narrowKeys
    var aggregates: [CompiledAggregate] = []
    for column in columns { aggregates.append(try CompiledAggregate(column, of: entity, in: schema)) }
    func place(_ name: AggregateTerm) throws(FetchError) -> Int {
      if let place = aggregates.firstIndex(where: { $0.name == name }) { return place }
      aggregates.append(try CompiledAggregate(name, of: entity, in: schema))
      return aggregates.count - 1
    }
    var steps: [Step] = []
    for step in condition {
      switch step {
      case .compare(let name, let comparison, let value):
        steps.append(.compare(place: try place(name), comparison, value))
      case .not: steps.append(.not)
      case .and: steps.append(.and)
      case .or: steps.append(.or)
      }
    }
    self.condition = steps
    var orders: [Order] = []
    for term in order {
      switch term.subject {
      case .aggregate(let name):
        orders.append(Order(place: keys.count + (try place(name)), isAscending: term.isAscending))
      case .key(let key):
        guard let place = keys.firstIndex(of: key) else { throw .notGrouped(key.term.description) }
        orders.append(Order(place: place, isAscending: term.isAscending))
      }
    }
    self.order = orders
    columnCount = columns.count
    self.aggregates = aggregates
  }

  /// The object's own properties that keys and aggregates read.
  package var slots: SlotSet {
    keys.reduce(into: aggregates.reduce(into: []) { $0.formUnion($1.term?.ownSlots ?? []) }) {
      $0.formUnion($1.term.ownSlots)
    }
  }

  /// The attribute of the objects themselves that groups them, and the collation of the groups. `nil` for any other
  /// grouping.
  package var ownKey: (slot: Int, collation: Collation)? {
    guard keys.count == 1, keys[0].function == .value, let slot = keys[0].term.ownAttribute else { return nil }
    return (slot, keys[0].term.collation)
  }

  /// The groups that satisfy the condition, in order and within the limit.
  package func finish(_ rows: [Row]) -> [Row] {
    let rows = condition.isEmpty ? rows : rows.filter(holds)
    let keys = rows.map(sortKey)
    // Places are cheaper to move than rows.
    let sorted = rows.indices.sorted { keys[$0].precedes(keys[$1]) }
    return sorted.dropFirst(offset).prefix(limit ?? .max).map { rows[$0].keeping(columnCount) }
  }

  /// The error for an object with a key that the attribute's type cannot hold. `nil` if there is no such key.
  package func misread(_ keys: [PropertyValue], of object: UniqueID) -> FetchError? {
    for (place, key) in keys.enumerated() where self.keys[place].function == .value && !key.isNull {
      guard let attribute = narrowKeys[place].attribute, !attribute.reads(key) else { continue }
      let id = AnyObjectID(fetch.entity.interned, object)
      return .misread(narrowKeys[place].name, key, of: attribute.type, in: id)
    }
    return nil
  }

  /// Bytes that sort as the groups do by their keys. No two groups have the same bytes.
  package func key(of keys: [PropertyValue]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (key, value) in zip(self.keys, keys) { OrderKey.append(key.compared(value), to: &bytes) }
    return bytes
  }

  private func sortKey(of row: Row) -> [UInt8] {
    var key: [UInt8] = []
    for order in order {
      let start = key.count
      if order.place < keys.count {
        OrderKey.append(keys[order.place].compared(row.keys[order.place]), to: &key)
      } else {
        let place = order.place - keys.count
        OrderKey.append(aggregates[place].compared(row.values[place]), to: &key)
      }
      if !order.isAscending { for index in start..<key.count { key[index] = ~key[index] } }
    }
    key += row.key
    return key
  }

  private func holds(_ row: Row) -> Bool {
    var stack: [Bool] = []
    for step in condition {
      switch step {
      case .compare(let place, let comparison, let value):
        let aggregate = aggregates[place]
        stack.append(comparison.holds(aggregate.compared(row.values[place]), aggregate.compared(value)))
      case .not: stack[stack.count - 1].toggle()
      case .and, .or:
        let right = stack.removeLast()
        let left = stack.removeLast()
        if case .and = step { stack.append(left && right) } else { stack.append(left || right) }
      }
    }
    return stack.last ?? true
  }

  /// One group.
  package struct Row {
    /// Bytes that sort as the groups do by their keys. No two groups have the same bytes.
    package let key: [UInt8]
    package let keys: [PropertyValue]
    package let count: Int
    /// The oldest object of the group. Its keys are the group's keys.
    package let oldest: UniqueID
    package private(set) var values: [PropertyValue]

    package init(key: [UInt8], keys: [PropertyValue], count: Int, oldest: UniqueID, values: [PropertyValue]) {
      self.key = key
      self.keys = keys
      self.count = count
      self.oldest = oldest
      self.values = values
    }

    fileprivate func keeping(_ columns: Int) -> Row {
      if values.count == columns { return self }
      var row = self
      row.values.removeLast(values.count - columns)
      return row
    }
  }
}
