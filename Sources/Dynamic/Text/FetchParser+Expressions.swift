import RepriseObjectModel
import RepriseQuery

extension FetchParser {
  mutating func condition() throws(FetchTextError) -> [Step] {
    var expression = try expression()
    try makeCondition(&expression)
    return expression.steps
  }

  mutating func term() throws(FetchTextError) -> Term {
    let first = at
    var expression = try expression()
    guard let operand = expression.operands.last, !operand.isCondition,
      case .term(let term) = expression.takeValue(operand)
    else { throw unexpected("a property or a computation", at: first) }
    return term
  }

  /// Reads up to the first token that cannot continue the expression.
  private mutating func expression() throws(FetchTextError) -> Expression {
    var expression = Expression()
    var needsOperand = true
    while true {
      if needsOperand {
        needsOperand = try operand(&expression)
      } else if let next = try joined(&expression) {
        needsOperand = next
      } else {
        break
      }
    }
    while let last = expression.operators.popLast() {
      guard last.binding != nil else {
        throw unexpected("')' for the '(' of \(place(last.token).description.lowercased())")
      }
      try combine(last, &expression)
    }
    return expression
  }

  // MARK: Where an operand stands

  /// - Returns: Whether an operand must follow.
  private mutating func operand(_ expression: inout Expression) throws(FetchTextError) -> Bool {
    let first = at
    if let value = try literal() {
      expression.push(.constant(value), token: first, type: ValueType(of: value))
      return false
    }
    func open(_ kind: Expression.Operator.Kind) { expression.operators.append(.init(kind: kind, token: first)) }
    if skip("(") {
      open(.group)
      return true
    }
    if skip("-") {
      open(.negate)
      return true
    }
    if skip("not") || skip("!") {
      open(.not)
      return true
    }
    let word = token.keyword
    if word == "any" || word == "all" || word == "none" {
      at += 1
      let path = try path()
      let members = try members(of: path)
      try require("where")
      try require("(")
      if let members { scopes.append(members) }
      let step = word == "all" ? Step.all(names(path)) : .any(names(path))
      open(.members(step, isNone: word == "none", isScope: members != nil))
      return true
    }
    if token(1).isSign("("), word == "double" || word == "computed" || word == "count" {
      at += 2
      if word != "count" {
        open(.function(word == "double" ? .asDouble : nil))
        return true
      }
      let path = try path()
      _ = try members(of: path)
      try require(")")
      let collation = try rules(ofTest: false).collation
      let term = Term(names(path), isCount: true, collation: collation)
      expression.push(.read(term), token: first, type: .kind(.int))
      return false
    }
    guard token.name != nil else { throw unexpected("a property, a value, 'not', 'any', 'all', 'none' or '('") }
    let path = try path()
    let type = try type(of: path)
    let collation = try rules(ofTest: false).collation
    expression.push(.read(Term(names(path), collation: collation)), token: first, type: type)
    return false
  }

  // MARK: Where an operator stands

  /// - Returns: Whether an operand must follow. `nil` at the end of the expression.
  private mutating func joined(_ expression: inout Expression) throws(FetchTextError) -> Bool? {
    let first = at
    if token.isSign(")") { return try close(&expression) ? false : nil }
    let isAnd = token.isKeyword("and") || token.isSign("&&")
    if isAnd || token.isKeyword("or") || token.isSign("||") {
      try reduce(to: Binding.comparison + 1, &expression)
      if isAnd, expression.operators.last?.kind == .between {
        at += 1
        expression.operators[expression.operators.count - 1] = .init(kind: .within, token: first)
        return true
      }
      try reduce(to: isAnd ? Binding.and : Binding.or, &expression)
      try makeCondition(&expression)
      at += 1
      expression.operators.append(.init(kind: isAnd ? .and : .or, token: first))
      return true
    }
    if let operation = operation {
      let isSum = operation == .add || operation == .subtract
      try reduce(to: isSum ? Binding.sum : Binding.product, &expression)
      try requireTerm(beforeOperatorIn: expression)
      at += 1
      expression.operators.append(.init(kind: .binary(operation), token: first))
      return true
    }
    return try test(&expression)
  }

  private var operation: ComputationStep.Binary? {
    if case .sign(let sign) = token.kind { ComputationStep.Binary(rawValue: sign) } else { nil }
  }

  private var comparison: Comparison? {
    switch token.kind {
    case .sign("="): .equal
    case .sign("<>"): .notEqual
    case .sign(let sign): Comparison(rawValue: sign)
    default: nil
    }
  }

  /// Reads a test of the term on the left: a comparison, or a keyword such as `contains`.
  private mutating func test(_ expression: inout Expression) throws(FetchTextError) -> Bool? {
    let first = at
    if let comparison {
      try beginTest(&expression)
      at += 1
      expression.operators.append(.init(kind: .comparison(comparison), token: first))
      return true
    }
    let isNegated = token.isKeyword("not")
    let word = token(isNegated ? 1 : 0).keyword
    let test = Self.textTest(word)
    guard test != nil || word == "in" || word == "between" || word == "is" && !isNegated else { return nil }
    try beginTest(&expression)
    if isNegated {
      at += 1
      expression.operators.append(.init(kind: .not, token: first))
    }
    at += 1
    if word == "between" {
      expression.operators.append(.init(kind: .between, token: first))
      return true
    }
    let (term, operand) = try takeTerm(&expression)
    if let test {
      let options = try rules(ofTest: true)
      if let type = operand.type, type != .kind(.string) { throw wrongType("a text", type.name, operand.token) }
      let all = TextOptions(options.collation).union(options.byCharacter ? .byCharacter : [])
      expression.steps.append(.text(term, test, try text(), all))
    } else if word == "in" {
      expression.steps.append(.isIn(term, try values(of: operand.type)))
    } else {
      let isNot = skip("not")
      if !skip("null") { try require("nil") }
      expression.steps.append(.compare(term, isNot ? .notEqual : .equal, .null))
    }
    expression.pushCondition(token: operand.token)
    return false
  }

  static func textTest(_ word: String?) -> TextTest? {
    switch word {
    case "begins", "beginswith", "hasprefix": .hasPrefix
    case "ends", "endswith", "hassuffix": .hasSuffix
    case "contains": .contains
    case "equals": .equals
    case "like": .like
    case "matches": .matches
    case "allwords": .allWords
    case "anyword": .anyWord
    case "allprefixes": .allPrefixes
    case "whiletyping": .whileTyping
    default: nil
    }
  }

  private mutating func values(of type: ValueType?) throws(FetchTextError) -> [PropertyValue] {
    try require("(")
    var values: [PropertyValue] = []
    if skip(")") { return values }
    repeat {
      let first = at
      guard let value = try literal() else { throw unexpected("a value") }
      values.append(try converted(value, to: type, first))
    } while skip(",")
    try require(")")
    return values
  }
}
