import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// Walks the log back, and finds what each transaction changed in what a condition finds.
// A class, because a step reads much of it, and would copy it.
final class FetchHistory {
  private let store: Store
  private let map: EntityMap
  private let fetch: CompiledFetch
  private let dependencies: Set<FetchDependency>
  private let entities: Set<EntityName>
  private let source: PastSource
  private var position: Position

  /// What a transaction changed: objects by UUID, ascending.
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

  /// - Parameter fetch: Its order and its limit play no part.
  init(_ fetch: CompiledFetch, _ map: EntityMap, _ store: Store, upTo position: Position) {
    let fetch = fetch.unordered(limit: nil)
    self.fetch = fetch
    self.map = map
    self.store = store
    self.position = position
    dependencies = fetch.dependencies(in: store.map.schema)
    entities = dependencies.reduce(into: [fetch.entity.interned]) { $0.insert($1.entity) }
    source = PastSource(store, at: position)
  }

  /// So many transactions are looked at in one read transaction.
  private static let portion = 256

  /// Calls `body` with the changes after `lower`, the latest first, as long as it returns `true`. The positions must be
  /// pinned.
  func forEachChange(after lower: Position, _ body: (Change) -> Bool) throws(FetchError) {
    do throws(StoreError) {
      while position > lower {
        let end = max(lower, position - Self.portion)
        for touching in try store.transactions(after: end, upTo: position, touching: entities) {
          let differences = try self.differences(touching)
          guard let change = try change(at: touching.position, differences) else { continue }
          if !body(change) { return }
        }
        position = end
      }
    } catch {
      throw .notReadable(error.description)
    }
  }

  private func differences(_ touching: Store.TouchingTransaction) throws(StoreError) -> [ObjectDifference] {
    var objects: [EntityName: [UniqueID]] = [:]
    for id in touching.objects { objects[id.name, default: []].append(id.uuid) }
    var differences: [ObjectDifference] = []
    for (entity, uuids) in objects {
      guard let map = store.map.map(entity) else { continue }
      for version in try store.versions(of: uuids, map, at: touching.position - 1, and: touching.position) {
        let id = AnyObjectID(entity, version.uuid)
        if let found = ObjectDifference(id, from: version.earlier, to: version.later) { differences.append(found) }
      }
    }
    return differences
  }

  /// `nil` if the transaction changed nothing there.
  private func change(
    at position: Position, _ differences: [ObjectDifference]
  ) throws(StoreError) -> Change? {
    var candidates: [Candidate] = []
    for difference in differences where difference.id.name == map.entity.interned {
      candidates.append(Candidate(difference.id.uuid, before: difference.before, after: difference.after))
    }
    let own = candidates.count
    if !dependencies.isEmpty, let others = source.dependents(of: differences, by: dependencies, limit: .max) {
      let known = Set(candidates.map(\.uuid))
      for uuid in others.keys where !known.contains(uuid) {
        let values = source.values(of: AnyObjectID(map.entity.interned, uuid))
        candidates.append(Candidate(uuid, before: values, after: values))
      }
    }
    // All that the condition is asked of at the transaction, then all that it is asked of before.
    for place in candidates.indices {
      candidates[place].isFoundAfter = matches(candidates[place].after, candidates[place].uuid)
    }
    source.goBack(over: differences, to: position - 1)
    for place in candidates.indices {
      candidates[place].isFoundBefore = matches(candidates[place].before, candidates[place].uuid)
    }
    if let failure = source.failure { throw failure }

    let found = candidates.enumerated().filter { place, candidate in
      candidate.isFoundBefore != candidate.isFoundAfter || place < own && candidate.isFoundAfter
    }.map(\.element).sorted { $0.uuid < $1.uuid }
    if found.isEmpty { return nil }
    let changed = Set(found.map { AnyObjectID(map.entity.interned, $0.uuid) })
    let transaction = try store.transaction(at: position, changing: changed, of: map) { id in
      let version = found[found.partitionPoint { $0.uuid >= id.uuid }]
      return (version.before, version.after)
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
  var isFoundBefore = false
  var isFoundAfter = false

  init(_ uuid: UniqueID, before: ContiguousArray<PropertyValue>?, after: ContiguousArray<PropertyValue>?) {
    self.uuid = uuid
    self.before = before
    self.after = after
  }
}
