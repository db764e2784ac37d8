import RepriseEventStore
import RepriseObjectModel

/// The reads of a context with serialisable saves. With them, a save can check whether another save would have changed
/// a result.
final class ReadSet {
  private struct Answer {
    let position: Position
    let read: (Projection) throws -> AnyHashable
  }

  private var objects: Set<AnyObjectID> = []
  private var answers: [Answer] = []
  /// Whether a read depends on everything, so that any change may affect it.
  private var isOfEverything = false
  private let store: Store
  /// Saves of other contexts after this position can change a recorded result. The position is pinned, because a
  /// context that follows the head moves on, and the old results must stay readable.
  private(set) var since: Position

  init(_ store: Store, since position: Position) {
    self.store = store
    since = store.pin(at: position)
  }

  deinit { store.unpin(since) }

  /// Begins a new record of reads. Saves up to `position` no longer matter.
  func begin(at position: Position) {
    store.movePin(from: since, to: position)
    (objects, answers, isOfEverything, since) = ([], [], false, position)
  }

  func add(_ object: AnyObjectID) { objects.insert(object) }
  func add(at position: Position, _ read: @escaping (Projection) throws -> AnyHashable) {
    answers.append(Answer(position: position, read: read))
  }
  func addEverything() { isOfEverything = true }

  /// The objects changed by other saves up to a position that change a recorded result. `nil` if no result changes.
  /// Empty if there are too many objects to list.
  func overtaken(upTo head: Position) throws(SaveError) -> [AnyObjectID]? {
    do throws(StoreError) {
      guard let changed = try store.objects.changed(after: since, upTo: head) else { return [] }
      if changed.isEmpty { return nil }
      if isOfEverything { return changed }
      let read = changed.filter(objects.contains)
      if !read.isEmpty { return Set(read).sorted() }
    } catch {
      throw .store(error)
    }
    // The head is pinned like `since`, so that both positions stay readable.
    _ = store.pin(at: head)
    defer { store.unpin(head) }
    do {
      for answer in answers {
        let (then, now) = (projection(at: answer.position), projection(at: head))
        if try answer.read(then) != answer.read(now) { return [] }
      }
    } catch let error as StoreError {
      throw .store(error)
    } catch {
      // The fetch succeeded before, so its failure is a change.
      return []
    }
    return nil
  }

  /// The saved state, without pending changes.
  private func projection(at position: Position) -> Projection {
    Projection(store: store, position: position, layers: [], differences: HeadDifferences())
  }
}

extension RootContext {
  /// Whether saves are **serialisable**: a save throws if another save has changed something that this context read.
  ///
  /// The property is false at first. A save then checks only the properties that it changes (snapshot isolation). Two
  /// saves can each rely on a value that the other one changes (write skew).
  ///
  /// If the property is true, a save checks the objects and relationships that this context read. The save also checks
  /// the results of fetches, counts and lookups, and so notices new objects that would have matched. For aggregates,
  /// groups and ordered relationships, any other save counts as a change. Lists are not checked. Setting this property,
  /// a save and ``refresh()`` each begin a new record of reads. From earlier reads, a save then checks only objects
  /// whose values are still in memory.
  ///
  /// If a read is outdated, the save throws ``SaveError/overtaken(_:)``. Refresh, decide again and save again.
  /// `Store.write(isSerializable: true)` does this automatically. If another context saved meanwhile, a save runs each
  /// fetch twice more.
  public var isSerializable: Bool {
    get { reads != nil }
    set {
      guard newValue != isSerializable else { return }
      reads = newValue ? ReadSet(store, since: position) : nil
      recordLiveObjects()
    }
  }

  /// Begins a new record, with the live objects: they keep the values that they have read.
  func recordLiveObjects() {
    guard let reads else { return }
    reads.begin(at: position)
    for object in instances.live where object._storage.isFilled { reads.add(object._storage.id) }
  }
}
