import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

/// Walks the log back, and finds what each transaction changed in what a condition finds.
struct FetchHistory {
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
    fileprivate(set) var added: [UniqueID] = []
    fileprivate(set) var removed: [UniqueID] = []
    fileprivate(set) var updated: [UniqueID] = []
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
  mutating func forEachChange(after lower: Position, _ body: (Change) -> Bool) throws(FetchError) {
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
    // All that the condition is asked of at the transaction, then all that it is asked of before.
    var candidates: [UniqueID: Candidate] = [:]
    let dependents = source.dependents(of: differences, by: dependencies, limit: .max) ?? [:]
    for uuid in dependents.keys {
      let values = source.values(of: AnyObjectID(map.entity.interned, uuid))
      candidates[uuid] = Candidate(before: values, after: values, isChanged: false)
    }
    for difference in differences where difference.id.name == map.entity.interned {
      candidates[difference.id.uuid] = Candidate(before: difference.before, after: difference.after, isChanged: true)
    }
    let after = candidates.filter { matches($0.value.after, $0.key) }
    source.goBack(over: differences, to: position - 1)
    let before = candidates.filter { matches($0.value.before, $0.key) }
    if let failure = source.failure { throw failure }

    let added = after.keys.filter { before[$0] == nil }
    let removed = before.keys.filter { after[$0] == nil }
    let updated = after.filter { $0.value.isChanged && before[$0.key] != nil }.keys
    let changed = Set((added + removed + updated).map { AnyObjectID(map.entity.interned, $0) })
    guard !changed.isEmpty,
      let transaction = try store.transaction(
        at: position, changing: changed, of: map, { (candidates[$0.uuid]?.before, candidates[$0.uuid]?.after) })
    else { return nil }
    return Change(
      transaction: transaction, added: added.sorted(), removed: removed.sorted(), updated: updated.sorted())
  }

  /// An object whose match may have changed, and its values.
  private struct Candidate {
    let before: ContiguousArray<PropertyValue>?
    let after: ContiguousArray<PropertyValue>?
    let isChanged: Bool
  }

  private func matches(_ values: ContiguousArray<PropertyValue>?, _ uuid: UniqueID) -> Bool {
    guard let values else { return false }
    return fetch.matches(values, id: AnyObjectID(map.entity.interned, uuid), source: source)
  }
}
