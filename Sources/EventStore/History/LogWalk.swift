import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// Walks the log back, and tells the objects of some entities before and after each transaction that touched them.
///
/// What it has taken back it carries on: an object is looked for where the walk meets it first, and costs its event in
/// each transaction after that.
package final class LogWalk {
  /// An object before and after a transaction; `nil` where it did not exist.
  package struct Versions {
    /// The object.
    package let id: AnyObjectID
    /// Its values before the transaction, as a context there shows them.
    package let before: ContiguousArray<PropertyValue>?
    /// Those after it.
    package let after: ContiguousArray<PropertyValue>?
    /// Whether an attribute has been converted since, so that the event is of other values.
    package let isConverted: Bool
  }

  /// A transaction that touched objects of the entities.
  package struct Step {
    /// The transaction.
    package let position: Position
    /// The objects that it touched, in the order of its events.
    package let objects: [Versions]
  }

  private let store: Store
  private let entities: [UInt32: EntityMap]
  /// The last transaction that was not told yet.
  package private(set) var position: Position
  /// Objects before the transaction that was told last, as the log has them.
  private var carried: [AnyObjectID: ContiguousArray<PropertyValue>?] = [:]

  /// - Parameter position: The first transaction to be told, and the latest; those behind it must stay readable.
  package init(_ store: Store, upTo position: Position, _ entities: Set<EntityName>) {
    self.store = store
    self.position = position
    self.entities = entities.reduce(into: [:]) { maps, entity in
      if let map = store.map.map(entity) { maps[map.number] = map }
    }
  }

  /// So many transactions are looked at in one read transaction, or those that touched so many objects.
  private static let transactionsAtOnce = 256
  private static let objectsAtOnce = 1_000
  /// So many objects are carried; those of the last transaction always.
  private static let mostCarried = 50_000

  /// The next transactions that touched objects of the entities, the latest first; none that touched none. Those after
  /// a position, and not all at once: call it again until ``position`` is there.
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
        try store.objects.takenBack(
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
