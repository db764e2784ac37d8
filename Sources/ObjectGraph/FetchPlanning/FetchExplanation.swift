import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// An explanation of a fetch: how the context found the rows, and the cost.
public struct FetchExplanation: Equatable, Sendable {
  /// The method that the fetch used to visit objects.
  @nonexhaustive
  public enum Access: Hashable, Sendable {
    /// The fetch visited the objects of the model in order of creation, or in reverse, until the end or a limit.
    case scan
    /// The fetch visited the rows of an index, or some ranges of them.
    ///
    /// The index is over an attribute, or over several properties, as in "[folder, name]".
    case index(property: String)
    /// The fetch visited the objects that contain the searched words, in order of creation, by the search index over an
    /// attribute.
    case search(property: String)
    /// The fetch collected object IDs from the indexes over these properties, and then read the objects.
    ///
    /// A property behind a relationship is written as a path.
    case collected(properties: [String])
    /// The fetch walked an index of another model, and visited the objects that refer to its rows.
    ///
    /// The property is a path: the relationship, then the indexed attribute.
    case referring(property: String)
  }

  /// The method that the fetch used to visit objects.
  public let access: Access
  /// Whether objects were visited in the order of the fetch.
  ///
  /// Then nothing was sorted, and a limit could end the visit early.
  public let isInOrder: Bool
  /// The number of stored objects that the plan expected to visit.
  public let expectedVisits: Int
  /// The number of objects visited, including objects with uncommitted changes.
  public let visits: Int
  /// The largest number of matching rows that were in memory at once.
  public let rowsInMemory: Int
  /// Indexes that could serve the fetch but are still being built.
  ///
  /// Each name contains the properties of the index, after the entity if this is not the entity of the fetch. Until an
  /// index is ready, the fetch runs without it, usually as a scan.
  public let unfinishedIndexes: [String]
  /// Whether the fetch found its objects in an index that keeps history, as the index was at the context's position.
  ///
  /// Otherwise a context behind the head finds its objects in indexes at the head, and in the saves since its position.
  public let readsHistory: Bool
  /// The number of transactions that the fetch read from the log, to find the objects that were saved after the
  /// context's position.
  ///
  /// Only the first fetch of a model reads them. It is 0 if these transactions are in memory, or if the fetch reads
  /// history.
  public let transactionsRead: Int
}

extension FetchExplanation {
  package init(_ finding: FetchFinding, of entity: Entity, unfinished: [String]) {
    if let plan = finding.plan {
      isInOrder = plan.order == .whole
      access = plan.access(of: entity)
    } else {
      isInOrder = true
      access = finding.rankedIndex.map { .index(property: entity.properties[$0].name) } ?? .scan
    }
    expectedVisits = finding.expectedVisits
    visits = finding.visits
    rowsInMemory = finding.rowsInMemory
    unfinishedIndexes = unfinished
    readsHistory = finding.readsHistory
    transactionsRead = finding.transactionsRead
  }
}

extension FetchExplanation: CustomStringConvertible {
  /// The plan in a sentence or two.
  public var description: String {
    let way =
      switch access {
      case .scan: "By a scan of all objects"
      case .index(let property): "By the index over '\(property)'"
      case .search(let property): "By the search index over '\(property)'"
      case .referring(let property): "By the index over '\(property)' and the objects that refer to its rows"
      case .collected(let properties):
        properties.isEmpty
          ? "Without a search, because no object can match"
          : "By collecting objects from the indexes over \(Self.names(properties))"
      }
    var text = way
    if readsHistory { text += ", as the index was at the context's transaction" }
    text +=
      ", \(isInOrder ? "already" : "then") sorted: \(visits) objects visited (\(expectedVisits) expected), at most "
      + "\(rowsInMemory) rows in memory at once."
    if transactionsRead > 0 {
      text +=
        " The context does not show the latest saves, so the fetch also read their \(transactionsRead) transactions in "
        + "the log."
    }
    if unfinishedIndexes.isEmpty { return text }
    return "\(text) Not used, because still being built: the index over \(unfinishedIndexes.joined(separator: ", "))."
  }

  /// Names each property once, because a search for any of several words uses the same index for each word.
  private static func names(_ properties: [String]) -> String {
    var known: Set<String> = []
    return properties.filter { known.insert($0).inserted }.map { "'\($0)'" }.joined(separator: ", ")
  }
}

extension FetchPlan {
  fileprivate func access(of entity: Entity) -> FetchExplanation.Access {
    switch (walk, path) {
    case (.references(let order), _):
      let attribute = order.target.nameOfIndex(order.targetIndex)
      return .referring(property: "\(entity.properties[order.slot].name).\(attribute)")
    case (.collected, _): return .collected(properties: path.properties(of: entity))
    case (.along, .index(let slot, _)): return .index(property: entity.properties[slot].name)
    case (.along, .search(let slot, _)): return .search(property: entity.nameOfIndex(slot))
    case (.along, _): return .scan
    }
  }
}

extension Entity {
  /// The name of the indexed attribute. For a search index, that is the attribute with the text.
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
