import RepriseObjectModel

extension CompiledCondition {
  /// The most levels of a condition. Evaluation recurses, and must not overflow the stack of any thread.
  static let depthLimit = 200

  init(_ steps: [Step], of entity: Entity, in schema: ResolvedSchema) throws(FetchError) {
    // The common case: no condition at all.
    if case .constant(let value)? = steps.first, steps.count == 1 {
      self = .constant(value)
      return
    }
    guard Step.isWellFormed(steps) else { throw .malformedCondition }
    let scopes = try Self.scopes(of: steps, entity, schema)
    var stack: [Part] = []
    for (step, scope) in zip(steps, scopes) {
      switch step {
      case .and, .or:
        guard let right = stack.popLast(), !stack.isEmpty else { throw .malformedCondition }
        // In place, because copying the joined part would make a long chain quadratic.
        stack[stack.count - 1].join(right, by: step)
      case .not:
        guard let part = stack.popLast() else { throw .malformedCondition }
        stack.append(Part(.not(part.condition), over: part.depth))
      case .any, .all:
        guard let part = stack.popLast(), let members = scope.members else { throw .malformedCondition }
        let isAny = if case .any = step { true } else { false }
        stack.append(Part(isAny ? .any(members, part.condition) : .all(members, part.condition), over: part.depth))
      default: stack.append(Part(try Self.leaf(step, of: scope.entity, in: schema), over: 0))
      }
      if let depth = stack.last?.depth, depth > Self.depthLimit { throw .tooDeep(limit: Self.depthLimit) }
    }
    guard let whole = stack.popLast() else { throw .malformedCondition }
    self = whole.condition
  }

  /// The entity that a step applies to, and the members for `any` and `all`.
  private struct Scope {
    let entity: Entity
    var members: CompiledMembers?
  }

  /// The scope of each step. `any` and `all` change the entity for the steps before them, so the loop runs from the
  /// end.
  private static func scopes(
    of steps: [Step], _ entity: Entity, _ schema: ResolvedSchema
  ) throws(FetchError) -> [Scope] {
    var asked = [entity]
    var scopes: [Scope] = []
    scopes.reserveCapacity(steps.count)
    for step in steps.reversed() {
      guard let entity = asked.popLast() else { throw .malformedCondition }
      var scope = Scope(entity: entity)
      switch step {
      case .any(let path), .all(let path):
        let members = try CompiledMembers(path, of: entity, in: schema)
        scope.members = members
        asked.append(members.target)
      default: asked.append(contentsOf: repeatElement(entity, count: step.arity))
      }
      scopes.append(scope)
    }
    return scopes.reversed()
  }

  private static func leaf(
    _ step: Step, of entity: Entity, in schema: ResolvedSchema
  ) throws(FetchError) -> CompiledCondition {
    switch step {
    case .constant(let value): return .constant(value)
    case .compare(let term, let comparison, let value):
      let compiled = try CompiledTerm(term, of: entity, in: schema)
      let value = schema.underPresentName(value)
      try compiled.check(value, term)
      if !compiled.formerForms.isEmpty, comparison == .equal || comparison == .notEqual {
        let alike = compiled.alike([value])
        if alike.count > 1 {
          return comparison == .equal ? .isIn(compiled, alike) : .not(.isIn(compiled, alike))
        }
      }
      return .compare(compiled, comparison, compiled.collation.key(of: value))
    case .compareTerms(let term, let comparison, let other):
      let left = try CompiledTerm(term, of: entity, in: schema)
      let right = try CompiledTerm(other, of: entity, in: schema)
      guard left.typeName == right.typeName else {
        throw .wrongType(term: term.description, expected: left.typeName, found: right.typeName)
      }
      let collation = left.collation == .binary ? right.collation : left.collation
      return .compareTerms(left.collated(collation), comparison, right.collated(collation))
    case .isIn(let term, let values):
      let compiled = try CompiledTerm(term, of: entity, in: schema)
      let values = values.map(schema.underPresentName)
      for value in values { try compiled.check(value, term) }
      return .isIn(compiled, compiled.alike(values))
    case .text(let term, let test, let text, let options):
      var compiled = try CompiledTerm(term, of: entity, in: schema)
      try compiled.check(.string(text), term)
      let options = options.union(TextOptions(compiled.collation))
      compiled = compiled.collated(options.collation)
      let pattern = try TextPattern(test, text, options)
      // An empty search matches every object, even without a text.
      if let words = pattern.words, words.terms.isEmpty { return .constant(!words.isAny) }
      // More indexes can serve a comparison than a text test.
      if pattern.test == .equals {
        return .compare(compiled, .equal, .string(String(decoding: pattern.bytes, as: UTF8.self)))
      }
      return .text(compiled, pattern)
    case .not, .and, .or, .any, .all: throw .malformedCondition
    }
  }

  /// A condition under construction. A chain of the same operator becomes one level, whatever its length.
  private struct Part {
    private var items: [CompiledCondition]
    private var joint: Step?
    private(set) var depth: Int

    init(_ condition: CompiledCondition, over depth: Int) {
      items = [condition]
      self.depth = depth + 1
    }

    mutating func join(_ right: consuming Part, by joint: Step) {
      open(for: joint)
      right.open(for: joint)
      items.append(contentsOf: right.items)
      depth = max(depth, right.depth)
    }

    private mutating func open(for joint: Step) {
      if self.joint == joint { return }
      items = [condition]
      self.joint = joint
      depth += 1
    }

    var condition: CompiledCondition {
      switch joint {
      case .and?: .and(items)
      case .or?: .or(items)
      default: items[0]
      }
    }
  }
}

extension CompiledTerm {
  /// The values to compare a term with: these values and the former stored forms of each.
  fileprivate func alike(_ values: [PropertyValue]) -> Set<PropertyValue> {
    var values = values
    for (former, present) in formerForms where values.contains(present) { values.append(former) }
    // A missing value is in no set, even if an archive lists it.
    return Set(values.lazy.filter { !$0.isNull }.map { collation.key(of: $0).normalized })
  }
}
