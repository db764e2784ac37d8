import RepriseObjectModel
import RepriseQuery

extension FetchParser {
  /// A path of names, with the token of each. `id` at its end is the object itself, and has no name.
  mutating func path() throws(FetchTextError) -> [Int] {
    var names: [Int] = []
    while true {
      guard token.name != nil else { throw unexpected("a property") }
      let isObject = token.kind == .word("id") && !token(1).isSign(".")
      if !isObject { names.append(at) }
      at += 1
      if !skip(".") { return names }
    }
  }

  func names(_ path: [Int]) -> [String] { path.compactMap { tokens[$0].name } }

  /// The type of the attribute or the object at the end of a path. `nil` without a model.
  func type(of path: [Int]) throws(FetchTextError) -> ValueType? {
    guard let entity = try target(of: path.dropLast()) else { return nil }
    guard let last = path.last else { return .object(entity) }
    switch try property(last, of: entity).role {
    case .attribute(let attribute): return .kind(attribute.kind)
    case .toOne(let end): return .object(end.target.entity)
    case .toMany, .index: throw wrong(last, entity, "an attribute or a to-one relationship")
    }
  }

  /// The model of the members of the to-many relationship at the end of a path. `nil` without a model.
  func members(of path: [Int]) throws(FetchTextError) -> Entity? {
    guard let last = path.last, let entity = try target(of: path.dropLast()) else { return nil }
    guard case .toMany(let end) = try property(last, of: entity).role else {
      throw wrong(last, entity, "a to-many relationship")
    }
    return end.target.entity
  }

  private func target(of path: ArraySlice<Int>) throws(FetchTextError) -> Entity? {
    guard var entity = scopes.last else { return nil }
    for index in path {
      guard case .toOne(let end) = try property(index, of: entity).role else {
        throw wrong(index, entity, "a to-one relationship")
      }
      entity = end.target.entity
    }
    return entity
  }

  private func property(_ index: Int, of entity: Entity) throws(FetchTextError) -> Property {
    let name = tokens[index].name ?? ""
    if let slot = entity.slot(everNamed: name), !entity.properties[slot].isIndex { return entity.properties[slot] }
    let names = entity.declaredProperties.filter { !$0.isIndex }.map(\.name)
    throw .unknownProperty(
      name, entity: entity.name, suggestion: NameSuggestion.nearest(to: name, among: names), at: place(index))
  }

  private func wrong(_ index: Int, _ entity: Entity, _ expected: String) -> FetchTextError {
    .wrongProperty(tokens[index].name ?? "", entity: entity.name, expected: expected, at: place(index))
  }

  /// The rules in brackets: `[nocase, natural, locale "sv"]`. The letters `c`, `d` and `cd` come from NSPredicate.
  ///
  /// - Parameter isTest: Whether the rules are the options of a text test, which compares no numbers and no languages.
  mutating func rules(ofTest isTest: Bool) throws(FetchTextError) -> (collation: Collation, byCharacter: Bool) {
    var (collation, byCharacter) = (Collation.binary, false)
    guard skip("[") else { return (collation, byCharacter) }
    repeat {
      switch token.keyword {
      case "nocase", "c": collation = collation.union(.ignoringCase)
      case "nodiacritic", "d": collation = collation.union(.ignoringDiacritics)
      case "cd": collation = collation.union([.ignoringCase, .ignoringDiacritics])
      case "natural" where !isTest: collation = collation.union(.natural)
      case "bycharacter" where isTest: byCharacter = true
      case "locale" where !isTest:
        at += 1
        collation = collation.union(Collation([] as Collation.Rules, locale: LocaleName(try text())))
        continue
      default:
        throw unexpected(isTest ? "'nocase' or 'nodiacritic'" : "'nocase', 'nodiacritic', 'natural' or 'locale'")
      }
      at += 1
    } while skip(",")
    try require("]")
    return (collation, byCharacter)
  }
}
