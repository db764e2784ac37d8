import RepriseObjectModel
import RepriseQuery
import RepriseTestSeeds

/// Random fetches that fit a model, with each construct that a fetch can have.
struct RandomFetches {
  var random: SeededGenerator
  private let values = RandomValues()
  private static let comparisons: [Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]
  private static let operations: [ComputationStep.Binary] = [.add, .subtract, .multiply, .divide]

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func fetch<Model>(of _: Model.Type) -> Fetch<Model> {
    var fetch = Fetch<Model>()
    fetch.condition = Condition(steps: steps(Model.entity, depth: 4))
    fetch.sortKeys = (0..<max(0, number(-2..<3))).map { _ in
      let isAscending = Bool.random(using: &random)
      return SortKey(
        term: sortTerm(Model.entity), isAscending: isAscending,
        nils: number(0..<3) > 0 ? nil : isAscending ? .last : .first)
    }
    if number(0..<6) == 0 { fetch.section = section(Model.entity) }
    if number(0..<4) == 0 { fetch.limit = number(0..<6) }
    if number(0..<4) == 0 { fetch.offset = number(0..<3) }
    return fetch
  }

  private mutating func section<Model>(_ entity: Entity) -> SectionKey<Model> {
    switch number(0..<3) {
    case 0: return SectionKey(term: attribute(.string, entity) ?? Term([]), function: .firstCharacter)
    case 1: return SectionKey(term: attribute(.date, entity) ?? Term([]), function: .day(offset: number(-2..<3)))
    default: return SectionKey(term: sortTerm(entity), function: .value)
    }
  }

  private mutating func sortTerm(_ entity: Entity) -> Term {
    let kinds: [AttributeKind] = [.int, .string, .double, .date, .bool, .unsigned]
    guard let kind = kinds.randomElement(using: &random), number(0..<8) > 0 else { return Term([]) }
    return term(kind, entity)
  }

  // MARK: Conditions

  mutating func steps(_ entity: Entity, depth: Int) -> [Step] {
    switch depth == 0 ? 9 : number(0..<10) {
    case 0, 1: return steps(entity, depth: depth - 1) + steps(entity, depth: depth - 1) + [.and]
    case 2, 3: return steps(entity, depth: depth - 1) + steps(entity, depth: depth - 1) + [.or]
    case 4: return steps(entity, depth: depth - 1) + [.not]
    case 5:
      guard let (path, target) = members(entity) else { return [.constant(Bool.random(using: &random))] }
      return steps(target, depth: depth - 1) + [Bool.random(using: &random) ? .any(path) : .all(path)]
    case 6 where number(0..<4) == 0: return [.constant(Bool.random(using: &random))]
    default: return [test(entity)]
    }
  }

  private mutating func test(_ entity: Entity) -> Step {
    let kind = AttributeKind.allCases.randomElement(using: &random) ?? .int
    let comparison = Self.comparisons.randomElement(using: &random)!
    switch number(0..<8) {
    case 0: return .compareTerms(term(kind, entity), comparison, term(kind, entity))
    case 1: return .isIn(term(kind, entity), (0..<number(0..<4)).map { _ in values.any(of: kind, &random) })
    case 2, 3:
      let (test, pattern) = values.test(&random)
      let options = number(0..<2) == 0 ? TextOptions(rawValue: UInt8(number(0..<4))) : []
      return .text(attribute(.string, entity) ?? Term(computing: [.constant(.string("tea"))]), test, pattern, options)
    case 4: return .compare(term(kind, entity), comparison, .null)
    case 5:
      guard let end = toOne(entity) else { fallthrough }
      return .compare(
        Term(end.path), comparison, .reference(AnyObjectID(end.target.interned, UniqueID(high: 0, low: 7))))
    default: return .compare(term(kind, entity), comparison, values.any(of: kind, &random))
    }
  }

  // MARK: Terms

  private mutating func term(_ kind: AttributeKind, _ entity: Entity) -> Term {
    if number(0..<3) == 0, kind == .int || kind == .unsigned || kind == .double || kind == .date {
      return Term(computing: computation(kind, entity, depth: 3))
    }
    if kind == .int, number(0..<3) == 0, let (path, _) = members(entity) { return Term(path, isCount: true) }
    return attribute(kind, entity) ?? Term(computing: [.constant(values.any(of: kind, &random))])
  }

  private mutating func computation(_ kind: AttributeKind, _ entity: Entity, depth: Int) -> [ComputationStep] {
    let operation = Self.operations.randomElement(using: &random)!
    switch depth == 0 ? 0 : number(0..<5) {
    case 1, 2:
      if kind == .date {
        return computation(.date, entity, depth: depth - 1) + computation(.double, entity, depth: depth - 1)
          + [.binary(Bool.random(using: &random) ? .add : .subtract)]
      }
      return computation(kind, entity, depth: depth - 1) + computation(kind, entity, depth: depth - 1)
        + [.binary(operation)]
    case 3 where kind == .double && Bool.random(using: &random):
      return computation(.int, entity, depth: depth - 1) + [.unary(.asDouble)]
    case 3 where kind == .int || kind == .double: return computation(kind, entity, depth: depth - 1) + [.unary(.negate)]
    default:
      guard number(0..<2) == 0, let term = attribute(kind, entity) else {
        return [.constant(values.any(of: kind, &random))]
      }
      return [.read(term)]
    }
  }

  /// A property of this kind, of the object or behind a to-one relationship.
  private mutating func attribute(_ kind: AttributeKind, _ entity: Entity) -> Term? {
    var (path, entity) = ([String](), entity)
    while number(0..<3) == 0, let next = toOne(entity) {
      path += next.path
      entity = next.target
    }
    guard let name = entity.attributes.filter({ $0.attribute?.kind == kind }).randomElement(using: &random)?.name else {
      return nil
    }
    let collations: [Collation] = [.binary, .binary, .ignoringCase, [.ignoringCase, .ignoringDiacritics, .natural]]
    let collation = kind == .string ? collations.randomElement(using: &random)! : .binary
    return Term(path + [name], collation: collation)
  }

  private mutating func toOne(_ entity: Entity) -> (path: [String], target: Entity)? {
    let property = entity.relationships.filter { $0.kind == .toOne }.randomElement(using: &random)
    return property.flatMap { found in found.target.map { ([found.name], $0) } }
  }

  private mutating func members(_ entity: Entity) -> (path: [String], target: Entity)? {
    let property = entity.relationships.filter { $0.kind == .toMany }.randomElement(using: &random)
    return property.flatMap { found in found.target.map { ([found.name], $0) } }
  }
}
