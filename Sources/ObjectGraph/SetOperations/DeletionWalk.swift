import RepriseEventStore
import RepriseObjectModel

/// The deletion of one object with all that its delete rules concern, as steps that can be saved one after the other.
///
/// What goes with an object comes before it, so that after every step the rest is still found from the object that is
/// to be deleted: whoever is interrupted begins again. Objects that a rule keeps together, as the last members that a
/// relationship must have and their owner, are one step.
struct DeletionWalk {
  struct Step {
    /// Deleted together, or with `emptied` the object whose reference is emptied.
    let objects: [AnyObjectID]
    var emptied: Int?
    /// The reference by which this is concerned. If others changed it meanwhile, nothing is to be done.
    var tie: Tie?
  }

  /// A reference that leads from one object to another.
  struct Tie {
    let object: AnyObjectID
    let slot: Int
    let target: AnyObjectID
  }

  private enum Item {
    case visit(AnyObjectID, Tie?)
    case emit([AnyObjectID], Tie?)
  }

  /// An object that goes with another one.
  private typealias Part = (object: AnyObjectID, tie: Tie)

  private(set) var steps: [Step] = []
  /// Whether the last step is that of the object itself; otherwise another walk has to follow.
  private(set) var isComplete = true
  private let context: EditingContext
  private let doomed: Set<AnyObjectID>
  private let limit: Int
  private var seen: Set<AnyObjectID> = []
  private var stack: [Item] = []

  /// - Parameters:
  ///   - doomed: All objects that are deleted with it, if a rule may protect some of them from others.
  ///   - limit: About how many steps to return at most.
  init(
    deleting root: AnyObjectID, _ doomed: Set<AnyObjectID>, limit: Int, in context: EditingContext
  ) throws(StoreError) {
    self.context = context
    self.doomed = doomed
    self.limit = limit
    stack.append(.visit(root, nil))
    while steps.count < limit, let item = stack.popLast() {
      switch item {
      case .visit(let object, let tie): if seen.insert(object).inserted { try visit(object, tie) }
      case .emit(let objects, let tie): steps.append(Step(objects: objects, tie: tie))
      }
    }
    if !stack.isEmpty { isComplete = false }
  }

  /// The objects of these steps that are deleted.
  static func deleted(_ steps: ArraySlice<Step>) -> [AnyObjectID] {
    steps.flatMap { $0.emptied == nil ? $0.objects : [] }
  }

  private mutating func visit(_ object: AnyObjectID, _ tie: Tie?) throws(StoreError) {
    var together = [object]
    var before: [Part] = []
    var place = 0
    while place < together.count {
      for part in try parts(of: together[place], &before) where seen.insert(part.object).inserted {
        together.append(part.object)
      }
      place += 1
    }
    if before.count > limit {
      // Without the objects to which these belong: another walk finds them.
      before.removeLast(before.count - limit)
      stack = []
      isComplete = false
    } else {
      stack.append(.emit(together.reversed(), tie))
    }
    // The first is visited first.
    for part in before.reversed() { stack.append(.visit(part.object, part.tie)) }
  }

  /// Adds the steps by which references to an object are emptied and its pairs removed, and to `before` the objects
  /// that are to be deleted before it. Returns those that are to be deleted together with it.
  private mutating func parts(of object: AnyObjectID, _ before: inout [Part]) throws(StoreError) -> [Part] {
    let schema = context.store.map.schema
    guard let map = context.store.map.map(object.name), let values = try context.reading(of: object, map).values else {
      return []
    }
    var together: [Part] = []
    for end in schema.relationships(of: map.entity) {
      if end.stores {
        guard end.deleteRule == .cascade, let target = values[end.slot].reference else { continue }
        let part = (target, Tie(object: object, slot: end.slot, target: target))
        if end.limits.lowerBound > 0 { together.append(part) } else { before.append(part) }
        continue
      }
      let sources = try context.members(end, of: object.uuid)
      // So many have to stay until the object goes.
      let kept = sources.count - min(sources.count, end.limits.lowerBound)
      for (place, uuid) in sources.enumerated() {
        let source = AnyObjectID(end.target.interned, uuid)
        var part = (source, Tie(object: source, slot: end.inverseSlot, target: object))
        if end.deleteRule.leavesReferences {
          if doomed.contains(source) { before.append(part) }
          continue
        }
        if let far = end.far {
          guard let target = try self.target(ofLink: source, far) else { continue }
          if far.deleteRule != .cascade {
            if place < kept { try unlink(source) }
            continue
          }
          part = (target, Tie(object: source, slot: far.slot, target: target))
        } else if end.deleteRule != .cascade {
          if place < kept, !doomed.contains(source) {
            steps.append(Step(objects: [source], emptied: end.inverseSlot, tie: part.1))
          }
          continue
        }
        if place < kept { before.append(part) } else { together.append(part) }
      }
    }
    return together
  }

  private func target(
    ofLink link: AnyObjectID, _ far: ResolvedSchema.Relationship.Far
  ) throws(StoreError) -> AnyObjectID? {
    guard let map = context.store.map.map(link.name) else { return nil }
    return try context.reading(of: link, map).values?[far.slot].reference
  }

  /// Of a relationship that is its own inverse in both directions.
  private mutating func unlink(_ link: AnyObjectID) throws(StoreError) {
    guard seen.insert(link).inserted, let map = context.store.map.map(link.name),
      let values = try context.reading(of: link, map).values
    else { return }
    var links = [link]
    if let mirror = context.store.map.schema.mirror(ofLink: map.entity, values), mirror != link,
      seen.insert(mirror).inserted
    {
      links.append(mirror)
    }
    steps.append(Step(objects: links))
  }
}
