import RepriseObjectModel
import RepriseQuery

extension FetchParser {
  func wrongType(_ expected: String, _ found: String, _ token: Int) -> FetchTextError {
    .wrongType(expected: expected, found: found, at: place(token))
  }

  /// A literal as a value of the type. Any literal is one without a model.
  func converted(_ value: PropertyValue, to type: ValueType?, _ token: Int) throws(FetchTextError) -> PropertyValue {
    guard !scopes.isEmpty, let type else { return value }
    if let converted = type.value(value) { return converted }
    throw wrongType(type.name, ValueType.name(of: value), token)
  }

  /// Combines the operands of operators that bind at least so tightly.
  mutating func reduce(to binding: Int, _ expression: inout Expression) throws(FetchTextError) {
    while let last = expression.operators.last, let own = last.binding, own >= binding {
      expression.operators.removeLast()
      try combine(last, &expression)
    }
  }

  /// Completes the term on the left of a test.
  mutating func beginTest(_ expression: inout Expression) throws(FetchTextError) {
    try reduce(to: Binding.comparison + 1, &expression)
    try requireTerm(beforeOperatorIn: expression)
    if expression.operators.last?.binding == Binding.comparison { throw unexpected("'and' or 'or'") }
  }

  func requireTerm(beforeOperatorIn expression: Expression) throws(FetchTextError) {
    if expression.operands.last?.isCondition == true { throw unexpected("'and', 'or' or the end of the condition") }
  }

  private func requireTerm(in expression: Expression) throws(FetchTextError) {
    if let operand = expression.operands.last, operand.isCondition {
      throw unexpected("a property or a value", at: operand.token)
    }
  }

  /// Makes a condition of the last operand: `true` and `false` alone, or a truth value.
  mutating func makeCondition(_ expression: inout Expression) throws(FetchTextError) {
    guard let operand = expression.operands.last, !operand.isCondition else { return }
    switch expression.takeValue(operand) {
    case .literal(.bool(let value)): expression.steps.append(.constant(value))
    case .literal: throw unexpected("a condition", at: operand.token)
    case .term(let term):
      if let type = operand.type, type != .kind(.bool) { throw unexpected("a comparison") }
      expression.steps.append(.compare(term, .equal, .bool(true)))
    }
    expression.pushCondition(token: operand.token)
  }

  /// Applies the operator of an opening parenthesis.
  ///
  /// - Returns: Whether there is one. Otherwise, the parenthesis encloses the expression.
  mutating func close(_ expression: inout Expression) throws(FetchTextError) -> Bool {
    try reduce(to: 0, &expression)
    guard let opening = expression.operators.popLast() else { return false }
    switch opening.kind {
    case .function(let conversion):
      try requireTerm(in: expression)
      let last = expression.operands.count - 1
      expression.operands[last].isComputed = true
      guard let conversion else { break }
      expression.computation.append(.unary(conversion))
      expression.operands[last].type = expression.operands[last].type.map { _ in .kind(.double) }
    case .members(let step, let isNone, let isScope):
      try makeCondition(&expression)
      expression.steps.append(step)
      if isNone { expression.steps.append(.not) }
      if isScope { scopes.removeLast() }
    default: break
    }
    at += 1
    return true
  }

  mutating func combine(_ last: Expression.Operator, _ expression: inout Expression) throws(FetchTextError) {
    switch last.kind {
    case .or, .and, .not:
      try makeCondition(&expression)
      if last.kind != .not { expression.operands.removeLast() }
      expression.steps.append(last.kind == .or ? .or : last.kind == .and ? .and : .not)
    case .comparison(let comparison):
      let (right, rightOperand) = try takeOperand(&expression)
      let (left, leftOperand) = try takeOperand(&expression)
      expression.steps.append(try step(left, leftOperand, comparison, right, rightOperand))
      expression.pushCondition(token: leftOperand.token)
    case .between: throw unexpected("'and' and a second bound")
    case .within:
      let (upper, upperOperand) = try takeOperand(&expression)
      let (lower, lowerOperand) = try takeOperand(&expression)
      let (value, operand) = try takeOperand(&expression)
      expression.steps.append(try step(value, operand, .greaterOrEqual, lower, lowerOperand))
      expression.steps.append(try step(value, operand, .lessOrEqual, upper, upperOperand))
      expression.steps.append(.and)
      expression.pushCondition(token: operand.token)
    case .negate:
      try requireTerm(in: expression)
      expression.computation.append(.unary(.negate))
      expression.operands[expression.operands.count - 1].isComputed = true
    case .binary(let operation): try combine(operation, &expression)
    case .group, .function, .members: break
    }
  }

  private mutating func combine(
    _ operation: ComputationStep.Binary, _ expression: inout Expression
  ) throws(FetchTextError) {
    try requireTerm(in: expression)
    let right = expression.operands.removeLast()
    guard var left = expression.operands.popLast() else { return }
    var (leftType, rightType) = (left.type, right.type)
    if !scopes.isEmpty, let first = leftType, let second = rightType, first != second {
      if let literal = expression.literal(right), let value = first.companion.value(literal) {
        expression.computation[right.start] = .constant(value)
        rightType = ValueType(of: value)
      } else if let literal = expression.literal(left), let value = second.companion.value(literal) {
        expression.computation[left.start] = .constant(value)
        leftType = ValueType(of: value)
      }
    }
    left.type = nil
    if let leftType, let rightType, !scopes.isEmpty {
      guard let type = ValueType.result(operation, leftType, rightType) else {
        guard leftType.isComputable else { throw wrongType("a number or a date", leftType.name, left.token) }
        throw wrongType(leftType.companion.name, rightType.name, right.token)
      }
      left.type = type
    }
    expression.computation.append(.binary(operation))
    left.isComputed = true
    expression.operands.append(left)
  }

  private mutating func takeOperand(
    _ expression: inout Expression
  ) throws(FetchTextError) -> (Expression.Value, Expression.Operand) {
    guard let operand = expression.operands.last else { throw unexpected("a value") }
    if operand.isCondition { throw unexpected("a property or a value", at: operand.token) }
    return (expression.takeValue(operand), operand)
  }

  mutating func takeTerm(_ expression: inout Expression) throws(FetchTextError) -> (Term, Expression.Operand) {
    let (value, operand) = try takeOperand(&expression)
    if case .term(let term) = value { return (term, operand) }
    throw unexpected("a property or a computation", at: operand.token)
  }

  private func step(
    _ left: Expression.Value, _ leftOperand: Expression.Operand, _ comparison: Comparison,
    _ right: Expression.Value, _ rightOperand: Expression.Operand
  ) throws(FetchTextError) -> Step {
    switch (left, right) {
    case (.term(let term), .literal(let value)):
      return .compare(term, comparison, try converted(value, to: leftOperand.type, rightOperand.token))
    case (.literal(let value), .term(let term)):
      return .compare(term, comparison.mirrored, try converted(value, to: rightOperand.type, leftOperand.token))
    case (.term(let term), .term(let other)):
      if let first = leftOperand.type, let second = rightOperand.type, first != second, !scopes.isEmpty {
        throw wrongType(first.name, second.name, rightOperand.token)
      }
      return .compareTerms(term, comparison, other)
    case (.literal, .literal): throw unexpected("a property or a computation", at: leftOperand.token)
    }
  }
}

extension Comparison {
  fileprivate var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}
