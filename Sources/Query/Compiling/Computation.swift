import RepriseObjectModel

/// A computed term with its names resolved: a stack machine for numbers and dates, which never traps.
struct Computation: Hashable, Sendable {
  private enum Operand: Hashable, Sendable {
    case read(CompiledTerm)
    case constant(PropertyValue)
    case unary(ComputationStep.Unary)
    case binary(ComputationStep.Binary)
  }

  /// The kind of the result.
  let kind: AttributeKind
  private let operands: [Operand]

  init(_ term: Term, of entity: Entity, in schema: ResolvedSchema) throws(FetchError) {
    guard ComputationStep.isWellFormed(term.computation) else { throw .malformedCondition }
    var operands: [Operand] = []
    var kinds: [AttributeKind] = []
    func refused(_ found: [String]) -> FetchError {
      .notComputable(term: term.description, found: found.joined(separator: " and "))
    }
    for step in term.computation {
      switch step {
      case .read(let read):
        let compiled = try CompiledTerm(read, of: entity, in: schema)
        guard let kind = compiled.kind else { throw refused([compiled.typeName]) }
        operands.append(.read(compiled))
        kinds.append(kind)
      case .constant(let value):
        guard let kind = AttributeKind.allCases.first(where: { $0.accepts(value) }) else {
          throw refused([value.typeName])
        }
        operands.append(.constant(value))
        kinds.append(kind)
      case .unary(let operation):
        guard let kind = kinds.popLast() else { throw .malformedCondition }
        guard let result = operation.result(of: kind) else { throw refused([kind.zero.typeName]) }
        operands.append(.unary(operation))
        kinds.append(result)
      case .binary(let operation):
        guard let right = kinds.popLast(), let left = kinds.popLast() else { throw .malformedCondition }
        guard let result = operation.result(of: left, right) else {
          throw refused([left.zero.typeName, right.zero.typeName])
        }
        operands.append(.binary(operation))
        kinds.append(result)
      }
    }
    guard let kind = kinds.last else { throw .malformedCondition }
    self.kind = kind
    self.operands = operands
  }

  /// The terms that the computation reads.
  var terms: [CompiledTerm] { operands.compactMap { if case .read(let term) = $0 { term } else { nil } } }

  func value(_ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource) -> PropertyValue {
    var stack: [PropertyValue] = []
    for operand in operands {
      switch operand {
      case .read(let term): stack.append(term.value(values, id, source))
      case .constant(let value): stack.append(value)
      case .unary(let operation): stack.append(operation.value(of: stack.popLast() ?? .null))
      case .binary(let operation):
        let (right, left) = (stack.popLast() ?? .null, stack.popLast() ?? .null)
        stack.append(operation.value(of: left, right))
      }
    }
    return stack.last ?? .null
  }
}

extension ComputationStep.Unary {
  fileprivate func result(of kind: AttributeKind) -> AttributeKind? {
    switch (self, kind) {
    case (.negate, .int), (.negate, .double): kind
    case (.asDouble, .int), (.asDouble, .unsigned), (.asDouble, .double): .double
    default: nil
    }
  }

  fileprivate func value(of operand: PropertyValue) -> PropertyValue {
    switch (self, operand) {
    case (.negate, .int(let it)): it == .min ? .null : .int(-it)
    case (.negate, .double(let it)): .double(-it)
    case (.asDouble, .int(let it)): .double(Double(it))
    case (.asDouble, .unsigned(let it)): .double(Double(it))
    case (.asDouble, .double): operand
    default: .null
    }
  }
}

extension ComputationStep.Binary {
  fileprivate func result(of left: AttributeKind, _ right: AttributeKind) -> AttributeKind? {
    switch (self, left, right) {
    case (_, .int, .int), (_, .unsigned, .unsigned), (_, .double, .double): left
    case (.subtract, .date, .date): .double
    case (.add, .date, .double), (.subtract, .date, .double), (.add, .double, .date): .date
    default: nil
    }
  }

  fileprivate func value(of left: PropertyValue, _ right: PropertyValue) -> PropertyValue {
    switch (left, right) {
    case (.int(let l), .int(let r)): checked(l, r).map { .int($0) } ?? .null
    case (.unsigned(let l), .unsigned(let r)): checked(l, r).map { .unsigned($0) } ?? .null
    case (.double(let l), .double(let r)): .double(computed(l, r))
    case (.date(let l), .date(let r)): .double(computed(l, r))
    case (.date(let l), .double(let r)), (.double(let l), .date(let r)): .date(computed(l, r))
    default: .null
    }
  }

  /// nil for a result that the type cannot hold.
  private func checked<Number: FixedWidthInteger>(_ left: Number, _ right: Number) -> Number? {
    let (number, isOverflow) =
      switch self {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      // A division by 0 reports overflow as well.
      case .divide: left.dividedReportingOverflow(by: right)
      }
    return isOverflow ? nil : number
  }

  private func computed(_ left: Double, _ right: Double) -> Double {
    switch self {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: left / right
    }
  }
}
