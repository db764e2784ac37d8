import RepriseObjectModel

/// One aggregate under construction.
enum Accumulator {
  case count(Int)
  /// The sum has 128 bits, so that no number of objects can overflow it.
  case integers(sum: Int128, count: Int)
  case numbers(sum: CompensatedSum, count: Int)
  case exact(any _ExactSum)
  case extreme(PropertyValue, of: UniqueID)
  case distinct(Set<[UInt8]>)

  /// Does nothing and returns false if this is not a sum of integers.
  mutating func addToSum(_ number: Int64) -> Bool {
    guard case .integers(let sum, let count) = self else { return false }
    self = .integers(sum: sum + Int128(number), count: count + 1)
    return true
  }
}

/// The sum of floating-point numbers with the rounding errors kept apart (Kahan, Babuška and Neumaier).
struct CompensatedSum {
  private var total = 0.0
  private var error = 0.0

  mutating func add(_ number: Double) {
    let next = total + number
    error += abs(total) >= abs(number) ? (total - next) + number : (number - next) + total
    total = next
  }

  /// If the total is infinite or NaN, the error has no meaning.
  var value: Double { total.isFinite ? total + error : total }
}

/// An aggregate with its names resolved.
package struct CompiledAggregate: Sendable {
  package let name: AggregateTerm
  /// `nil` for the number of objects.
  let term: CompiledTerm?
  private let kind: AttributeKind
  /// The attribute, if some stored values of its kind do not belong to its type.
  let narrow: Property.AttributeDescription?

  init(_ aggregate: AggregateTerm, of entity: Entity, in schema: ResolvedSchema) throws(FetchError) {
    name = aggregate
    guard let name = aggregate.term else {
      term = nil
      kind = .int
      narrow = nil
      return
    }
    let term = try CompiledTerm(name, of: entity, in: schema)
    self.term = term
    guard let kind = term.kind else {
      throw CompiledTerm.notAnAttribute(name, of: entity, in: schema)
    }
    self.kind = kind
    narrow = try CompiledTerm.narrow(name, of: entity, in: schema)
    switch (aggregate.function, kind) {
    case (.sum, .int), (.sum, .unsigned), (.sum, .double): break
    case (.average, .int), (.average, .unsigned), (.average, .double): break
    case (.sum, _) where term.exactSum != nil, (.average, _) where term.exactSum != nil: break
    case (.sum, _), (.average, _):
      throw .wrongType(term: name.description, expected: "a number", found: kind.zero.typeName)
    default: break
    }
  }

  /// Whether the attribute's type cannot hold a stored value, so that an object shows the default.
  package func misreads(_ value: PropertyValue) -> Bool {
    guard let narrow, !value.isNull else { return false }
    return switch function {
    case .sum, .average, .minimum, .maximum, .distinctCount: !narrow.reads(value)
    case .objectCount, .count: false
    }
  }

  /// Whether every value affects the result, so that each must belong to the attribute's type.
  package var checksEveryValue: Bool {
    guard narrow != nil else { return false }
    return switch function {
    case .sum, .average, .distinctCount: true
    case .minimum, .maximum, .objectCount, .count: false
    }
  }

  /// A result, or a value that it is compared with, in the form for binary comparison.
  func compared(_ value: PropertyValue) -> PropertyValue { term?.collation.key(of: value) ?? value }

  package var function: AggregateFunction { name.function }

  /// The slot, if an attribute of the fetched objects themselves is aggregated.
  package var ownAttribute: Int? { term?.ownAttribute }

  package var collation: Collation { term?.collation ?? .binary }

  var empty: Accumulator {
    switch function {
    case .objectCount, .count: .count(0)
    case .distinctCount: .distinct([])
    case .minimum, .maximum: .extreme(.null, of: .zero)
    case .sum, .average:
      if let exact = term?.exactSum {
        .exact(exact)
      } else {
        kind == .double ? .numbers(sum: CompensatedSum(), count: 0) : .integers(sum: 0, count: 0)
      }
    }
  }

  /// Adds the value of an object. The value must have the attribute's kind.
  func add(_ value: PropertyValue, of uuid: UniqueID, to accumulator: inout Accumulator) {
    if case .int(let number) = value, accumulator.addToSum(number) { return }
    if value.isNull, term != nil { return }
    if case .distinct(var seen) = accumulator {
      // The accumulator releases the set first, so that the insertion does not copy it.
      accumulator = .count(0)
      seen.insert(GroupedRows.key(of: [compared(value)]))
      accumulator = .distinct(seen)
      return
    }
    switch (accumulator, value) {
    case (.count(let count), _): accumulator = .count(count + 1)
    case (.integers(let sum, let count), .unsigned(let number)):
      accumulator = .integers(sum: sum + Int128(number), count: count + 1)
    case (.numbers(var sum, let count), .double(let number)):
      sum.add(number)
      accumulator = .numbers(sum: sum, count: count + 1)
    case (.exact(var sum), _):
      sum.add(value)
      accumulator = .exact(sum)
    case (.extreme(let best, let owner), _):
      guard !best.isNull else { return accumulator = .extreme(value, of: uuid) }
      switch compared(value).order(against: compared(best)) {
      case .same: if uuid < owner { accumulator = .extreme(value, of: uuid) }
      case .before: if function == .minimum { accumulator = .extreme(value, of: uuid) }
      case .after: if function == .maximum { accumulator = .extreme(value, of: uuid) }
      }
    default: break
    }
  }

  /// - Parameter entity: The entity of the objects.
  func result(_ accumulator: Accumulator, of entity: EntityName) throws(FetchError) -> PropertyValue {
    switch accumulator {
    case .count(let count): return .int(Int64(count))
    case .distinct(let seen): return .int(Int64(seen.count))
    case .extreme(let value, let uuid):
      if misreads(value) { throw misread(value, of: AnyObjectID(entity, uuid)) }
      return value
    case .exact(let sum):
      guard let value = function == .sum ? sum.sum : sum.average else { throw .overflow(name.description) }
      return value
    case .numbers(let sum, let count):
      if function == .sum { return .double(sum.value) }
      return count == 0 ? .null : .double(sum.value / Double(count))
    case .integers(let sum, let count):
      if function == .average { return count == 0 ? .null : .double(Double(sum) / Double(count)) }
      let value: PropertyValue? =
        kind == .unsigned ? UInt64(exactly: sum).map { .unsigned($0) } : Int64(exactly: sum).map { .int($0) }
      guard let value else { throw .overflow(name.description) }
      return value
    }
  }
}

extension CompiledAggregate {
  /// The error for an object whose value the attribute's type cannot hold.
  func misread(_ value: PropertyValue, of object: AnyObjectID) -> FetchError {
    let type: Any.Type = if let narrow { narrow.type } else { PropertyValue.self }
    return .misread(name.term?.description ?? "", value, of: type, in: object)
  }
}

extension CompiledTerm {
  /// An empty exact sum, if the term's values are numbers that are stored as bytes.
  fileprivate var exactSum: (any _ExactSum)? { type?.type._exactSum }
}
