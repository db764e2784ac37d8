import RepriseLog
import RepriseObjectModel

/// The deletion of one object and everything that its delete rules change, as steps that can be saved one after the
/// other.
///
/// The objects that are deleted with an object come before it. So after every step, the rest can still be found from
/// the object, and an interrupted walk can begin again. Objects that a rule keeps together are one step, such as an
/// owner and the last members that its relationship requires.
package struct DeletionWalk {
  package struct Step {
    /// The objects that are deleted together. If `emptied` is set, the object whose reference is emptied.
    package let objects: [AnyObjectID]
    package fileprivate(set) var emptied: Int?
    /// The reference that leads to this step. If another save changed it meanwhile, nothing happens.
    package fileprivate(set) var tie: Tie?
  }

  /// A reference that leads from one object to another.
  package struct Tie {
    package let object: AnyObjectID
    package let slot: Int
    package let target: AnyObjectID
  }

  private enum Item {
    case visit(AnyObjectID, Tie?)
    case emit([AnyObjectID], Tie?)
  }

  /// An object that is deleted because of another one.
  private typealias Part = (object: AnyObjectID, tie: Tie)

  package private(set) var steps: [Step] = []
  /// Whether the last step deletes the object itself. Otherwise another walk must follow.
  package private(set) var isComplete = true
  private let map: SchemaMap
  private let doomed: Set<AnyObjectID>
  private let limit: Int
  private var seen: Set<AnyObjectID> = []
  private var stack: [Item] = []

  /// - Parameters:
  ///   - doomed: All objects that are deleted with the object, if a rule may protect some of them.
  ///   - limit: About how many steps to return at most.
  package init(
    deleting root: AnyObjectID, _ doomed: Set<AnyObjectID>, limit: Int, _ map: SchemaMap,
    over state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    self.map = map
    self.doomed = doomed
    self.limit = limit
    stack.append(.visit(root, nil))
    while steps.count < limit, let item = stack.popLast() {
      switch item {
      case .visit(let object, let tie): if seen.insert(object).inserted { try visit(object, tie, &state) }
      case .emit(let objects, let tie): steps.append(Step(objects: objects, tie: tie))
      }
    }
    if !stack.isEmpty { isComplete = false }
  }

  /// The objects of these steps that are deleted.
  package static func deleted(_ steps: ArraySlice<Step>) -> [AnyObjectID] {
    steps.flatMap { $0.emptied == nil ? $0.objects : [] }
  }

  private mutating func visit(
    _ object: AnyObjectID, _ tie: Tie?, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    var together = [object]
    var before: [Part] = []
    var place = 0
    while place < together.count {
      for part in try parts(of: together[place], &before, &state) where seen.insert(part.object).inserted {
        together.append(part.object)
      }
      place += 1
    }
    if before.count > limit {
      // Another walk deletes the objects that these belong to.
      before.removeLast(before.count - limit)
      stack = []
      isComplete = false
    } else {
      stack.append(.emit(together.reversed(), tie))
    }
    // Reversed, because the stack visits the last element first.
    for part in before.reversed() { stack.append(.visit(part.object, part.tie)) }
  }

  /// Adds the steps that empty references to an object and remove its pairs. Adds the objects that must be deleted
  /// earlier to `before`. Returns the objects that must be deleted together with it.
  private mutating func parts(
    of object: AnyObjectID, _ before: inout [Part], _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> [Part] {
    guard let entity = map.map(object.name), let values = try state.object(object.uuid, entity)?.values else {
      return []
    }
    var together: [Part] = []
    for end in map.schema.relationships(of: entity.entity) {
      if end.stores {
        guard end.deleteRule == .cascade, let target = values[end.slot].reference else { continue }
        let part = (target, Tie(object: object, slot: end.slot, target: target))
        if end.limits.lowerBound > 0 { together.append(part) } else { before.append(part) }
        continue
      }
      let sources = try state.sources(of: object.uuid, end)
      // The number of members that can be deleted before the object. The remaining ones must stay until it is deleted.
      let kept = sources.count - min(sources.count, end.limits.lowerBound)
      for (place, uuid) in sources.enumerated() {
        let source = AnyObjectID(end.target.interned, uuid)
        var part = (source, Tie(object: source, slot: end.inverseSlot, target: object))
        if end.deleteRule.leavesReferences {
          if doomed.contains(source) { before.append(part) }
          continue
        }
        if let far = end.far {
          guard let target = try self.target(ofLink: source, far, &state) else { continue }
          if far.deleteRule != .cascade {
            if place < kept { try unlink(source, &state) }
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
    ofLink link: AnyObjectID, _ far: ResolvedSchema.Relationship.Far, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) -> AnyObjectID? {
    guard let links = map.map(link.name) else { return nil }
    return try state.object(link.uuid, links)?.values[far.slot].reference
  }

  /// Adds the step that deletes a link. If the relationship is its own inverse, the step deletes the links in both
  /// directions.
  private mutating func unlink(
    _ link: AnyObjectID, _ state: inout some LowerState & ~Escapable
  ) throws(StoreError) {
    guard seen.insert(link).inserted, let entity = map.map(link.name),
      let values = try state.object(link.uuid, entity)?.values
    else { return }
    var links = [link]
    if let mirror = map.schema.mirror(ofLink: entity.entity, values), mirror != link,
      seen.insert(mirror).inserted
    {
      links.append(mirror)
    }
    steps.append(Step(objects: links))
  }
}
