import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// How a context ran a fetch: which way its rows were found, and what that cost.
public struct FetchExplanation: Hashable, Sendable {
  /// The way in which the objects were visited.
  @nonexhaustive
  public enum Access: Hashable, Sendable {
    /// All objects of the model, in order of birth.
    case scan
    /// The rows of the index over this attribute, or over several properties as in "[folder, name]", or some ranges of
    /// them.
    case index(property: String)
    /// The objects with the words of a search, in the search index over this attribute, in order of birth.
    case search(property: String)
    /// The objects that indexes name, collected before they are read: over these properties. What lies behind a
    /// relationship is written as a path.
    case collected(properties: [String])
    /// The objects that refer to those of another model, in the order of that model's index: by this path, of which the
    /// index has the end.
    case referring(property: String)
  }

  /// The way in which the objects were visited.
  public let access: Access
  /// Whether they were visited in the order of the fetch, so that nothing was sorted and a limit ends the visit.
  public let isInOrder: Bool
  /// How many stored objects the plan expected to visit.
  public let expectedVisits: Int
  /// How many objects were visited, uncommitted ones included.
  public let visits: Int
  /// How many rows were in memory at once, of those that match.
  public let rowsInMemory: Int
  /// The indexes that could serve the fetch and are still being built, by what they are over; with the entity before
  /// where it is another one. Until they are ready the fetch does without, most often by a scan.
  public let unfinishedIndexes: [String]
}

extension FetchExplanation {
  package init(_ finding: FetchFinding, of entity: Entity, unfinished: [String]) {
    switch finding.way {
    case .ranks(let slot):
      access = .index(property: entity.properties[slot].name)
      isInOrder = true
    case .counter:
      access = .scan
      isInOrder = true
    case .plan(let plan):
      isInOrder = plan.order == .whole
      switch plan.walk {
      case .all: access = .scan
      case .index(let slot, _, _): access = .index(property: entity.properties[slot].name)
      case .search(let slot, _): access = .search(property: entity.nameOfIndex(slot))
      case .collect(let path): access = .collected(properties: path.properties(of: entity))
      case .references(let order):
        let attribute = order.target.nameOfIndex(order.targetIndex)
        access = .referring(property: "\(entity.properties[order.slot].name).\(attribute)")
      }
    }
    expectedVisits = finding.expectedVisits
    visits = finding.visits
    rowsInMemory = finding.rowsInMemory
    unfinishedIndexes = unfinished
  }
}

extension FetchExplanation: CustomStringConvertible {
  /// The plan in a sentence or two.
  public var description: String {
    let way =
      switch access {
      case .scan: "a scan of all objects"
      case .index(let property): "the index over '\(property)'"
      case .search(let property): "the search index over '\(property)'"
      case .referring(let property): "the index over '\(property)' and the objects that refer to its rows"
      case .collected(let properties):
        properties.isEmpty ? "no object at all" : "objects collected by \(Self.names(properties))"
      }
    return "By \(way)\(isInOrder ? ", in order" : ", then sorted"): \(visits) objects visited, \(expectedVisits) "
      + "expected; \(rowsInMemory) rows in memory."
      + (unfinishedIndexes.isEmpty ? "" : " Being built: the index over \(unfinishedIndexes.joined(separator: ", ")).")
  }

  /// Each once: a search for any of many words has the same index for each.
  private static func names(_ properties: [String]) -> String {
    var known: Set<String> = []
    return properties.filter { known.insert($0).inserted }.map { "'\($0)'" }.joined(separator: ", ")
  }
}

extension Entity {
  /// The attribute of an index over one, or of its words.
  fileprivate func nameOfIndex(_ slot: Int) -> String { properties[index(slot)?.columns.first ?? slot].name }
}

extension AccessPath {
  fileprivate func properties(of entity: Entity) -> [String] {
    func name(_ slot: Int, of entity: Entity) -> String { entity.properties[slot].name }
    switch self {
    case .scan: return []
    case .objects: return ["id"]
    case .index(let slot, _), .inverse(let slot, _): return [name(slot, of: entity)]
    case .search(let slot, _): return [entity.nameOfIndex(slot)]
    case .through(let slot, let target, let path):
      return path.properties(of: target).map { "\(name(slot, of: entity)).\($0)" }
    case .referred(let source, let slot, let path):
      return path.properties(of: source).map { "\(source.name).\($0)" } + ["\(source.name).\(name(slot, of: source))"]
    case .union(let parts), .intersection(let parts): return parts.flatMap { $0.properties(of: entity) }
    }
  }
}
