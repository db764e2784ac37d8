import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// Walks the log backwards, and finds the effect of each transaction on the result of a condition. A class, because a
/// step of the walk would copy much of a struct.
final class FetchHistory {
  private let store: Store
  private let map: EntityMap
  private let fetch: CompiledFetch
  private let dependencies: Set<FetchDependency>
  private let walk: LogWalk
  private let source: PastSource

  /// The effect of a transaction: objects by UUID, ascending.
  struct Change {
    let transaction: LoggedTransaction
    let added: [UniqueID]
    let removed: [UniqueID]
    let updated: [UniqueID]

    fileprivate init(transaction: LoggedTransaction, _ found: [Candidate]) {
      self.transaction = transaction
      added = found.filter { !$0.isFoundBefore }.map(\.uuid)
      removed = found.filter { !$0.isFoundAfter }.map(\.uuid)
      updated = found.filter { $0.isFoundBefore && $0.isFoundAfter }.map(\.uuid)
    }
  }

  /// - Parameter fetch: Its order and its limit are ignored.
  init(_ fetch: CompiledFetch, _ map: EntityMap, _ store: Store, upTo position: Position) {
    let fetch = fetch.unordered(limit: nil)
    self.fetch = fetch
    self.map = map
    self.store = store
    dependencies = fetch.dependencies(in: store.map.schema)
    walk = LogWalk(
      store, upTo: position, dependencies.reduce(into: [fetch.entity.interned]) { $0.insert($1.entity) })
    source = PastSource(store, at: position)
  }

  /// Calls `body` with the changes after `lower`, the latest first, as long as it returns `true`. The positions must be
  /// pinned.
  func forEachChange(after lower: Position, _ body: (Change) -> Bool) throws(StoreError) {
    while walk.position > lower {
      for step in try walk.next(after: lower) {
        if let change = try change(step), !body(change) { return }
      }
    }
  }

  /// The effect of a transaction. `nil` if it did not change the result.
  private func change(_ step: LogWalk.Step) throws(StoreError) -> Change? {
    var differences: [ObjectDifference] = []
    var candidates: [Candidate] = []
    for versions in step.objects {
      guard let difference = ObjectDifference(versions.id, from: versions.before, to: versions.after) else { continue }
      differences.append(difference)
      if versions.id.name == map.entity.interned { candidates.append(Candidate(versions)) }
    }
    let own = candidates.count
    if !dependencies.isEmpty, let others = source.dependents(of: differences, by: dependencies, limit: .max) {
      let known = Set(candidates.map(\.uuid))
      for uuid in others.keys where !known.contains(uuid) {
        let values = source.values(of: AnyObjectID(map.entity.interned, uuid))
        candidates.append(Candidate(uuid, values))
      }
    }
    // First evaluates the condition for all objects at the transaction, then for all objects before it.
    for place in candidates.indices {
      candidates[place].isFoundAfter = matches(candidates[place].after, candidates[place].uuid)
    }
    source.goBack(over: differences, to: step.position - 1)
    for place in candidates.indices {
      candidates[place].isFoundBefore = matches(candidates[place].before, candidates[place].uuid)
    }
    if let failure = source.failure { throw failure }

    let found = candidates.enumerated().filter { place, candidate in
      candidate.isFoundBefore != candidate.isFoundAfter || place < own && candidate.isFoundAfter
    }.map(\.element).sorted { $0.uuid < $1.uuid }
    if found.isEmpty { return nil }
    let changed = Set(found.map { AnyObjectID(map.entity.interned, $0.uuid) })
    let transaction = try store.log.transaction(at: step.position, changing: changed, of: map) { id in
      let version = found[found.partitionPoint { $0.uuid >= id.uuid }]
      // If a property was converted since, the part in the log belongs to another value than the present one.
      return version.isConverted ? (nil, nil) : (version.before, version.after)
    }
    return transaction.map { Change(transaction: $0, found) }
  }

  private func matches(_ values: ContiguousArray<PropertyValue>?, _ uuid: UniqueID) -> Bool {
    guard let values else { return false }
    return fetch.matches(values, id: AnyObjectID(map.entity.interned, uuid), source: source)
  }
}

/// An object whose match may have changed, and its values.
private struct Candidate {
  let uuid: UniqueID
  let before: ContiguousArray<PropertyValue>?
  let after: ContiguousArray<PropertyValue>?
  let isConverted: Bool
  var isFoundBefore = false
  var isFoundAfter = false

  init(_ versions: LogWalk.Versions) {
    uuid = versions.id.uuid
    before = versions.before
    after = versions.after
    isConverted = versions.isConverted
  }

  /// An object that did not change itself.
  init(_ uuid: UniqueID, _ values: ContiguousArray<PropertyValue>?) {
    self.uuid = uuid
    before = values
    after = values
    isConverted = false
  }
}
