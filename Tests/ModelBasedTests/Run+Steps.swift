import RepriseCore
import RepriseTesting

extension Run {
  enum Step: CaseIterable {
    case insert, insertGraph, setAttribute, typeAgain, link, linkBack, member, delete, insertAgain, group
    case makeChild, dropChild, discard, undo, redo, saveChild, saveRoot, saveWhileEditing, saveTogether, refresh,
      relaunch
    case fetch, hold, writeToDeleted, resolve, discardObject, tick, checkpoint
    case openScreen, changeScreen, renameScreen, moveScreen, closeScreen, restoreScene

    var isOfScreens: Bool {
      switch self {
      case .openScreen, .changeScreen, .renameScreen, .moveScreen, .closeScreen, .restoreScene: true
      default: false
      }
    }
  }

  /// False where there is nothing to do it to.
  func perform(_ step: Step) async throws -> Bool {
    switch step {
    case .saveRoot: return try await saveRoot()
    case .saveWhileEditing: return try await saveWhileEditing()
    case .saveTogether: return try await saveTogether()
    case .relaunch: return try await relaunch()
    case .refresh: return try refresh()
    case .makeChild: return try makeChild()
    case .dropChild: return try dropChild()
    case .fetch: return try checkFetch()
    case .hold: return hold()
    case _ where step.isOfScreens: return try await perform(onScreens: step)
    case .checkpoint:
      note("the journal is checkpointed")
      try await store.journals.checkpoint()
      candidates = []
      return true
    case .tick:
      note("the journal is written")
      try store.journal.write()
      candidates = []
      return true
    default:
      guard let node = nodes.filter({ !$0.isReader }).randomElement(using: &random) else { return false }
      return try edit(node, step)
    }
  }

  /// A step of one context, without suspension.
  func edit(_ node: Node, _ step: Step) throws -> Bool {
    switch step {
    case .insert: return insert(node)
    case .insertGraph: return insertGraph(node)
    case .setAttribute: return setAttribute(node, times: 1)
    case .typeAgain: return setAttribute(node, times: 3)
    case .link: return link(node)
    case .linkBack: return linkBack(node)
    case .member: return member(node)
    case .delete: return try delete(node)
    case .insertAgain: return insertAgain(node)
    case .writeToDeleted: return writeToDeleted(node)
    case .group: return try group(node)
    case .resolve: return try resolve(node)
    case .discardObject: return discardObject(node)
    case .discard:
      note("\(node.name).discard")
      node.context.discard()
      node.oracle.discard()
      return true
    case .undo:
      note("\(node.name).undo")
      node.context.undo()
      node.oracle.undo()
      return true
    case .redo:
      note("\(node.name).redo")
      node.context.redo()
      node.oracle.redo()
      return true
    case .saveChild: return try saveChild(node)
    default: return false
    }
  }

  // MARK: Choosing

  func visible(_ node: Node, _ kind: Kind? = nil) -> (Key, any PersistentModel)? {
    let keys = node.oracle.world.keys.filter { kind == nil || $0.kind == kind }.sorted()
    guard let key = keys.randomElement(using: &random) else { return nil }
    guard let object = node.held[key] ?? objects.find(key, in: node.context) else { return nil }
    if Bool.random(using: &random) { node.held[key] = object }
    return (key, object)
  }

  private func hold() -> Bool {
    guard let node = nodes.randomElement(using: &random) else { return false }
    if Int.random(in: 0..<3, using: &random) == 0 {
      node.held = [:]
      return true
    }
    return visible(node) != nil
  }

  // MARK: Inserting

  private func isFull(_ node: Node) -> Bool { node.oracle.world.count > 12 }

  func newObject(_ kind: Kind) -> (any PersistentModel, Key, Row) {
    let text = Pool.text(&random)
    let number = Int.random(in: -2...3, using: &random)
    guard case .text(let bytes) = text else { preconditionFailure("a text is a text") }
    let string = String(decoding: bytes, as: UTF8.self)
    switch kind {
    case .thing:
      let thing = Thing(title: string, count: number)
      let values: Row =
        [text, .int(number), .unsigned(0), .none, .bool(false), .none, .none, .none, .text(Array("good".utf8))]
        + [.none, .none, .none]
      return (thing, objects.add(thing, kind), values)
    case .holder:
      let holder = Holder(name: string, rank: number)
      return (holder, objects.add(holder, kind), [text, .int(number), .none, .none, .none, .none])
    case .label:
      let label = Label(text: string)
      return (label, objects.add(label, kind), [text, .none])
    }
  }

  func insert(_ node: Node) -> Bool {
    guard !isFull(node), let kind = [Kind.thing, .thing, .holder, .label].randomElement(using: &random) else {
      return false
    }
    let (object, key, values) = newObject(kind)
    note("\(node.name).insert(\(key))")
    insert(object, into: node.context)
    node.oracle.insert([(key, values)])
    node.held[key] = object
    return true
  }

  private func insert(_ object: any PersistentModel, into context: EditingContext) {
    func open<Model: PersistentModel>(_ object: Model) { context.insert(object) }
    open(object)
  }

  /// Detached objects that lead to each other and, in some runs, to one that is there.
  private func insertGraph(_ node: Node) -> Bool {
    guard !isFull(node) else { return false }
    var (thing, thingKey, thingValues) = newObject(.thing)
    let (label, labelKey, labelValues) = newObject(.label)
    ObjectAccess.link(thing, 11, to: label)
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      let (holder, holderKey, holderValues) = newObject(.holder)
      ObjectAccess.insertMember(thing, 9, of: holder)
      note("\(node.name).insert(\(thingKey) with \(labelKey) and \(holderKey))")
      insert(thing, into: node.context)
      thingValues[9] = .link(holderKey)
      thingValues[11] = .link(labelKey)
      node.oracle.insert([(thingKey, thingValues), (labelKey, labelValues), (holderKey, holderValues)])
    case 1:
      guard let (holderKey, holder) = visible(node, .holder) else { fallthrough }
      note("\(node.name): \(thingKey) with \(labelKey) joins \(holderKey)")
      if Bool.random(using: &random) {
        ObjectAccess.link(thing, 9, to: holder)
      } else {
        ObjectAccess.insertMember(thing, 9, of: holder)
      }
      thingValues[11] = .link(labelKey)
      node.oracle.grouped(nil) {
        node.oracle.insert([(thingKey, thingValues), (labelKey, labelValues)])
        node.oracle.link(thingKey, Link.all[0], to: holderKey)
      }
    default:
      note("\(node.name).insert(\(thingKey) with \(labelKey))")
      insert(thing, into: node.context)
      thingValues[11] = .link(labelKey)
      node.oracle.insert([(thingKey, thingValues), (labelKey, labelValues)])
    }
    node.held[thingKey] = thing
    return true
  }

  private func insertAgain(_ node: Node) -> Bool {
    let world = node.oracle.world
    let gone = node.held.keys.filter { world[$0] == nil && !node.oracle.isEdited($0) }.sorted()
    guard let key = gone.randomElement(using: &random), let object = node.held[key] else { return false }
    let last = objects.values(of: object)
    note("\(node.name).insert(\(key)) again")
    insert(object, into: node.context)
    node.oracle.insertAgain(key, last)
    return true
  }

  // MARK: Editing

  func setAttribute(_ node: Node, times: Int) -> Bool {
    guard let (key, object) = visible(node), let slot = Pool.slots(key.kind).randomElement(using: &random) else {
      return false
    }
    for _ in 0..<times {
      let value = Pool.value(key.kind, slot, &random)
      note("\(node.name): \(key)[\(slot)] = \(value)")
      ObjectAccess.write(value, slot, of: object)
      node.oracle.set(key, slot, to: value)
    }
    return true
  }

  private func writeToDeleted(_ node: Node) -> Bool {
    let world = node.oracle.world
    let gone = node.held.keys.filter { world[$0] == nil }.sorted()
    guard let key = gone.randomElement(using: &random), let object = node.held[key],
      let slot = Pool.slots(key.kind).randomElement(using: &random)
    else { return false }
    let value = Pool.value(key.kind, slot, &random)
    note("\(node.name): \(key)[\(slot)] = \(value), which is deleted")
    node.oracle.setUnseen(key, slot, from: objects.values(of: object)[slot], to: value)
    ObjectAccess.write(value, slot, of: object)
    return true
  }

  private func link(_ node: Node) -> Bool {
    guard let link = Link.all.randomElement(using: &random), let (source, object) = visible(node, link.source) else {
      return false
    }
    var target = Int.random(in: 0..<4, using: &random) == 0 ? nil : visible(node, link.target)
    if link.isOneToOne {
      // Two contexts seldom want the same place by chance.
      if let wanted, node.oracle.world[wanted] != nil, let object = objects.find(wanted, in: node.context) {
        target = (wanted, object)
      }
      wanted = target?.0
    }
    note("\(node.name): \(source)[\(link.slot)] -> \(target?.0.description ?? "nil")")
    ObjectAccess.link(object, link.slot, to: target?.1)
    node.oracle.link(source, link, to: target?.0)
    return true
  }

  private func linkBack(_ node: Node) -> Bool {
    let link = Link.all[2]
    guard let (target, object) = visible(node, .label), let label = object as? Label else { return false }
    let source = Int.random(in: 0..<4, using: &random) == 0 ? nil : visible(node, .thing)
    note("\(node.name): \(target).thing = \(source?.0.description ?? "nil")")
    label.thing = source?.1 as? Thing
    node.oracle.linkBack(target, link, to: source?.0)
    return true
  }

  private func member(_ node: Node) -> Bool {
    guard let link = [Link.all[0], Link.all[1], Link.all[3]].randomElement(using: &random),
      let (target, owner) = visible(node, link.target), let (source, object) = visible(node, link.source)
    else { return false }
    if Bool.random(using: &random) {
      note("\(node.name): \(target) gains \(source) by \(link.slot)")
      ObjectAccess.insertMember(object, link.slot, of: owner)
      node.oracle.link(source, link, to: target)
    } else {
      note("\(node.name): \(target) loses \(source) by \(link.slot)")
      ObjectAccess.removeMember(object, link.slot, of: owner)
      node.oracle.removeMember(source, link, of: target)
    }
    return true
  }

  private func delete(_ node: Node) throws -> Bool {
    guard let (key, object) = visible(node) else { return false }
    let before = node.oracle.world[key]
    note("\(node.name).delete(\(key))")
    func open<Model: PersistentModel>(_ object: Model) { node.context.delete(object) }
    open(object)
    node.oracle.delete(key)
    node.held[key] = object
    let slots = Pool.slots(key.kind)
    let last = objects.values(of: object)
    if last[slots] != before?[slots] { throw Mismatch(description: "\(key) lost its last values with its deletion") }
    return true
  }

  private struct Refused: Error {}

  private func group(_ node: Node) throws -> Bool {
    note("\(node.name).group {")
    let name = "step \(trace.count)"
    let throwsError = Int.random(in: 0..<3, using: &random) == 0
    do {
      try node.context.group(name) {
        try node.oracle.grouped(name, isTakenBack: throwsError) {
          for _ in 0..<3 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: _ = insert(node)
            case 1: _ = link(node)
            case 2: _ = try delete(node)
            case 3: _ = setAttribute(node, times: 3)
            default: _ = setAttribute(node, times: 1)
            }
          }
        }
        if throwsError { throw Refused() }
      }
    } catch is Refused {
      note("} throws")
      return true
    }
    note("}")
    return true
  }

  // MARK: Settling conflicts

  private func resolve(_ node: Node) throws -> Bool {
    let conflicts = try node.context.conflicts()
    if conflicts.isEmpty { return false }
    for conflict in conflicts {
      guard let clash = clashes([conflict]).first else { continue }
      let keepsMine = Bool.random(using: &random)
      note("\(node.name).resolve(\(clash), \(keepsMine ? "mine" : "theirs"))")
      switch conflict.kind {
      case .insertedTwice: node.context.discard(conflict.object)
      case .missingTarget, .unsavedTarget: try node.context.resolve(conflict, with: .null)
      default: try node.context.resolve(conflict, with: keepsMine ? conflict.mine : conflict.theirs)
      }
      node.oracle.resolve(clash, keepingMine: keepsMine)
    }
    return true
  }

  private func discardObject(_ node: Node) -> Bool {
    let keys = node.oracle.layer.keys.sorted()
    guard let key = keys.randomElement(using: &random), let id = objects.ids[key] else { return false }
    note("\(node.name).discard(\(key))")
    node.context.discard(id)
    node.oracle.letGo(of: key)
    return true
  }
}
