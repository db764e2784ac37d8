import RepriseEventStore
import RepriseObjectModel

/// The net changes of an overlay by object. The changes of a recovered draft of many edits stay in the store until they
/// are requested.
struct PendingChanges {
  private var known = ObjectMap<ObjectChange>()
  private var rest: Rest?

  private struct Rest {
    let unread: UnreadChanges
    /// The objects that were changed after the draft was recovered. `known` has their changes.
    var settled: Set<AnyObjectID> = []
  }

  init() {}

  init(_ image: DraftImage) {
    known = image.changes
    rest = image.unread.map { Rest(unread: $0) }
  }

  var unread: UnreadChanges? { rest?.unread }

  /// The unread part, unless the object was changed after the draft was recovered.
  private func unread(of id: AnyObjectID) -> UnreadChanges? {
    guard let rest, !rest.settled.contains(id) else { return nil }
    return rest.unread
  }

  /// The change of an object. `nil` if there is none. Throws if it cannot be read. Inlined, because otherwise each read
  /// of an object copies the changes.
  @inline(__always) func change(of id: AnyObjectID) throws(StoreError) -> ObjectChange? {
    if rest == nil { return known[id] }
    return try readChange(of: id)
  }

  private func readChange(of id: AnyObjectID) throws(StoreError) -> ObjectChange? {
    if let unread = unread(of: id) { return try unread.change(of: id) }
    return known[id]
  }

  /// The change of an object, for callers that cannot throw. ``readAll()`` throws a failure later.
  subscript(id: AnyObjectID) -> ObjectChange? {
    get {
      if let unread = unread(of: id) { return unread.knownChange(of: id) }
      return known[id]
    }
    set { update(id) { _ in newValue } }
  }

  func contains(_ id: AnyObjectID) -> Bool { rest == nil ? known.contains(id) : self[id] != nil }

  /// Whether the object is inserted, as far as is known. Inlined, because otherwise each new object copies the changes.
  @inline(__always) func isInsertion(_ id: AnyObjectID) -> Bool {
    if rest == nil { return known.contains(id) { $0.isInsertion } }
    return self[id]?.isInsertion ?? false
  }

  /// Whether a change may set a slot of an object, insert the object or delete it. Reads nothing if the unread part
  /// does not touch that property.
  func mayChange(_ id: AnyObjectID, _ slot: Int) -> Bool {
    if let unread = unread(of: id), !unread.touches(id.name, slot) { return false }
    return contains(id)
  }

  /// Stops reading at the first change.
  var isEmpty: Bool {
    guard known.isEmpty, let rest else { return known.isEmpty }
    return !rest.unread.hasChange { !rest.settled.contains($0) }
  }

  /// Replaces the change of an object by the result of `body`. `nil` is no change.
  mutating func update(_ id: AnyObjectID, _ body: (ObjectChange?) -> ObjectChange?) {
    guard let unread = unread(of: id) else { return known.update(id, body) }
    known[id] = body(unread.knownChange(of: id))
    rest?.settled.insert(id)
  }

  /// Reads the unread part. Call it before a save or a discard, which changes that part in the store.
  func readAll() throws(StoreError) { _ = try unread?.readAll() }

  /// All changes. Reads the unread part.
  var all: ObjectMap<ObjectChange> {
    guard let rest else { return known }
    var all = known
    for (id, change) in rest.unread.all where !rest.settled.contains(id) { all[id] = change }
    return all
  }

  /// The objects of an entity that have a change. Reads nothing if none of them is unread.
  func objects(of entity: EntityName) -> [AnyObjectID] {
    var objects = known.keys.filter { $0.name == entity }
    guard let rest, rest.unread.touches(entity) else { return objects }
    for id in rest.unread.all.keys where id.name == entity && !rest.settled.contains(id) { objects.append(id) }
    return objects
  }
}

extension PendingChanges: Sequence {
  /// In no particular order. Reads the unread part.
  func makeIterator() -> Iterator {
    Iterator(known: known.makeIterator(), rest: rest?.unread.all.makeIterator(), settled: rest?.settled)
  }

  /// Reads nothing.
  var underestimatedCount: Int { known.count }

  struct Iterator: IteratorProtocol {
    fileprivate var known: ObjectMap<ObjectChange>.Iterator
    fileprivate var rest: ObjectMap<ObjectChange>.Iterator?
    fileprivate let settled: Set<AnyObjectID>?

    mutating func next() -> (key: AnyObjectID, value: ObjectChange)? {
      if let next = known.next() { return next }
      while let next = rest?.next() { if settled?.contains(next.key) != true { return next } }
      return nil
    }
  }

  var keys: some Sequence<AnyObjectID> { lazy.map(\.key) }
}

extension PendingChanges: Equatable {
  static func == (lhs: PendingChanges, rhs: PendingChanges) -> Bool {
    if lhs.unread === rhs.unread, lhs.rest?.settled == rhs.rest?.settled { return lhs.known == rhs.known }
    return lhs.all == rhs.all
  }
}
