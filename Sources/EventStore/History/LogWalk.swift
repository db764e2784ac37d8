import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Walks the log back. For each transaction that touched objects of some entities, it returns these objects before and
/// after.
///
/// The walk carries each object that it has met. Meeting an object first costs a look-up, and each later transaction
/// costs only its event.
package final class LogWalk {
  /// An object before and after a transaction. `nil` where it did not exist.
  package struct Versions {
    /// The ID of the object.
    package let id: AnyObjectID
    /// The values before the transaction, as a context at that position shows them.
    package let before: ContiguousArray<PropertyValue>?
    /// The values after the transaction.
    package let after: ContiguousArray<PropertyValue>?
    /// Whether an attribute has been converted since, so that the event has values of another type.
    package let isConverted: Bool
  }

  /// A transaction that touched objects of the entities.
  package struct Step {
    /// The position of the transaction.
    package let position: Position
    /// The objects that it touched, in the order of its events.
    package let objects: [Versions]
  }

  private let store: Store
  private let entities: [UInt32: EntityMap]
  /// The last transaction that the walk has not returned yet.
  package private(set) var position: Position
  /// Objects before the transaction that the walk returned last, as the log has them.
  private var carried: [AnyObjectID: ContiguousArray<PropertyValue>?] = [:]

  /// - position: The latest transaction, where the walk begins. All earlier ones must stay readable.
  package init(_ store: Store, upTo position: Position, _ entities: Set<EntityName>) {
    self.store = store
    self.position = position
    self.entities = entities.reduce(into: [:]) { maps, entity in
      if let map = store.map.map(entity) { maps[map.number] = map }
    }
  }

  /// The number of transactions, or of touched objects, after which a read transaction of the walk ends.
  private static let transactionsAtOnce = 256
  private static let objectsAtOnce = 1_000
  /// At most this many objects are carried, and always those of the last transaction.
  private static let mostCarried = 50_000

  /// The next transactions that touched objects of the entities, the latest first. Returns only a part of the
  /// transactions after `lower`: call it again until ``position`` reaches `lower`.
  package func next(after lower: Position) throws(StoreError) -> [Step] {
    try store.read { (view, head) throws(StorageError) in
      let frames = store.files.log.reader(view)
      var steps: [Step] = []
      var (transactions, objects) = (0, 0)
      while position > lower, transactions < Self.transactionsAtOnce, objects < Self.objectsAtOnce {
        let step = try step(at: position, head, frames)
        transactions += 1
        objects += step.objects.count
        if !step.objects.isEmpty { steps.append(step) }
        position = position - 1
      }
      return steps
    }
  }

  private func step(at position: Position, _ head: Position, _ frames: TableReader) throws(StorageError) -> Step {
    var objects: [Versions] = []
    var failure: StorageError?
    let view = frames.view
    try store.files.log.withFrame(position, frames, readsNames: false) { (frame) throws(MalformedBytes) in
      var events = frame.events
      while failure == nil, let event = try events.next() {
        guard let change = event.change, let map = entities[change.object.entity] else { continue }
        do throws(StorageError) {
          objects.append(try versions(change, map, at: position, head, view))
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    if carried.count > max(Self.mostCarried, 2 * objects.count) {
      let last = Set(objects.map(\.id))
      carried = carried.filter { last.contains($0.key) }
    }
    return Step(position: position, objects: objects)
  }

  private func versions(
    _ change: Change, _ map: EntityMap, at position: Position, _ head: Position, _ view: View
  ) throws(StorageError) -> Versions {
    let id = AnyObjectID(map.entity.interned, change.object.uuid)
    let after =
      if let known = carried[id] { known } else {
        try store.objects.rolledBack(
          try store.files.objects.values(of: id.uuid, map, store.map, view), id, map, from: head, to: position, view)
      }
    let before = try store.files.log.applying(position) { () throws(ReplayError) in
      try change.inverse.applied(to: after, map, store.map)
    }
    carried.updateValue(before, forKey: id)
    guard let converted = try store.objects.converted(map, at: position - 1, view) else {
      return Versions(id: id, before: before, after: after, isConverted: false)
    }
    return Versions(
      id: id, before: try store.objects.restored(before, converted, of: id, at: position - 1, view),
      after: try store.objects.restored(after, converted, of: id, at: position, view), isConverted: true)
  }
}
