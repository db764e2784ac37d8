import RepriseCore
import RepriseTesting

extension Run {
  func expect<It: Equatable>(_ found: It, _ expected: It, _ what: @autoclosure () -> String) throws {
    if found != expected { throw Mismatch(description: "\(what()):\n  found    \(found)\n  expected \(expected)") }
  }

  /// Every context against the oracle, and the store against itself.
  func compare() async throws {
    try await followAll()
    try compareContexts()
    try compareScreens()
    for store in stores {
      try compareHead(of: store)
      let report = try StoreMaintenance.verifyNow(store)
      if !report.isSound { throw Mismatch(description: report.description) }
      try expect(Int(store.log.head.number), log.head, "the head")
    }
  }

  /// Returns when all servers have all transactions.
  func followAll() async throws { for store in stores { try await store.follow(to: Position(UInt64(log.head))) } }

  /// While a save is under way nothing can be said of the head, nor of conflicts with it.
  func compareContexts(isSaving: Bool = false) throws { for node in nodes { try compare(node, isSaving) } }

  /// A context that is made now sees the fold of the log, and nothing of what is uncommitted.
  private func compareHead(of store: Store) throws {
    try compareObjects(RootContext(store, isolation: nil), log.worlds[log.head], inserted: [], "head")
  }

  private func compare(_ node: Node, _ isSaving: Bool) throws {
    let (context, oracle) = (node.context, node.oracle)
    let world = oracle.world
    try compareObjects(context, world, inserted: oracle.inserted, node.name)
    for (key, object) in node.held {
      if world[key] == nil {
        try expect(object._storage.currentState, .deleted, "\(node.name): state of \(key), which is gone")
      } else {
        let found = objects.find(key, in: context)
        if found !== object { throw Mismatch(description: "\(node.name): a second instance of \(key)") }
      }
    }
    oracle.noteSeen()
    try expect(context.position.number, UInt64(oracle.root.position), "\(node.name): position")
    try expect(context.hasChanges, oracle.hasChanges, "\(node.name): hasChanges")
    try expect(context.canUndo, !oracle.steps.isEmpty, "\(node.name): canUndo")
    try expect(context.undoName, oracle.steps.last?.name, "\(node.name): undoName")
    try expect(context.canRedo, !oracle.undone.isEmpty, "\(node.name): canRedo")
    try compareChanges(context.changes, oracle.layer, node.name)
    if !isSaving || context is ChildContext {
      try expect(clashes(try context.conflicts()), oracle.clashes(), "\(node.name): conflicts()")
    }
  }

  private func compareObjects(_ context: ObjectContext, _ world: World, inserted: Set<Key>, _ name: String) throws {
    for kind in Kind.allCases {
      let expected = world.keys.filter { $0.kind == kind }.sorted()
      let found: [any PersistentModel]
      let count: Int
      switch kind {
      case .thing:
        found = try context.fetch(Fetch<Thing>())
        count = try context.count(Fetch<Thing>())
      case .holder:
        found = try context.fetch(Fetch<Holder>())
        count = try context.count(Fetch<Holder>())
      case .label:
        found = try context.fetch(Fetch<Label>())
        count = try context.count(Fetch<Label>())
      }
      try expect(found.map { objects.key($0._storage.id) }, expected, "\(name): all \(kind)s")
      let wrong = log.mistake == .countIsOffByOne && expected.count == 5 ? 1 : 0
      try expect(count, expected.count + wrong, "\(name): count of \(kind)s")
      for (object, key) in zip(found, expected) {
        try expect(objects.values(of: object), world[key] ?? [], "\(name): \(key)")
        let state: ObjectState = inserted.contains(key) ? .inserted : .live
        try expect(object._storage.currentState, state, "\(name): state of \(key)")
        for (slot, members, count) in objects.members(of: object) {
          let sources = members.isEmpty && count == 0 ? [] : members
          let link = Self.link(kind, slot)
          var expected = OracleContext.members(link, of: key, in: world)
          if link.isOneToOne { expected = Array(expected.prefix(1)) }
          try expect(sources, expected, "\(name): \(key), members by \(slot)")
          try expect(count, expected.count, "\(name): \(key), count of members by \(slot)")
        }
      }
    }
  }

  private static func link(_ kind: Kind, _ slot: Int) -> Link {
    switch (kind, slot) {
    case (.holder, 2): Link.all[0]
    case (.holder, 3): Link.all[1]
    case (.holder, 5): Link.all[3]
    default: Link.all[2]
    }
  }

  private func compareChanges(_ changes: ChangeSet, _ layer: Layer, _ name: String) throws {
    var inserted: [Key] = []
    var updated: [Key] = []
    var deleted: [Key] = []
    for (key, edit) in layer {
      switch edit {
      case .inserted: inserted.append(key)
      case .updated: updated.append(key)
      case .deleted: deleted.append(key)
      }
    }
    try expect(changes.inserted.map { objects.key($0) }, inserted.sorted(), "\(name): inserted")
    try expect(changes.updated.map { objects.key($0) }, updated.sorted(), "\(name): updated")
    try expect(changes.deleted.map { objects.key($0) }, deleted.sorted(), "\(name): deleted")
  }

  // MARK: Conflicts

  func clashes(_ conflicts: [Conflict]) -> [Clash] {
    conflicts.compactMap { conflict -> Clash? in
      guard let key = objects.key(conflict.object) else { return nil }
      switch conflict.kind {
      case .attribute(let name):
        guard let slot = slot(name, key.kind) else { return nil }
        return Clash(
          key: key,
          why: .attribute(
            slot: slot, base: value(conflict.base), mine: value(conflict.mine), theirs: value(conflict.theirs)))
      case .missingTarget(let name), .unsavedTarget(let name):
        guard let slot = slot(name, key.kind) else { return nil }
        return Clash(key: key, why: .missingTarget(slot: slot))
      case .addedToDeleted(let name, let rule):
        guard let slot = slot(name, key.kind), case .link(let target) = value(conflict.theirs) else { return nil }
        return Clash(key: key, why: .addedToDeleted(slot: slot, target: target, cascades: rule == .cascade))
      case .taken(let name, let other):
        guard let slot = slot(name, key.kind), case .link(let target) = value(conflict.mine),
          let other = objects.key(other)
        else { return nil }
        return Clash(key: key, why: .taken(slot: slot, target: target, theirs: value(conflict.theirs), by: other))
      case .deletedByThem, .unrestorable: return Clash(key: key, why: .deletedByThem)
      case .deletedByMe: return Clash(key: key, why: .deletedByMe)
      case .insertedTwice: return Clash(key: key, why: .insertedTwice)
      }
    }.sorted()
  }

  private func slot(_ name: String, _ kind: Kind) -> Int? {
    let entity = [Kind.thing: Thing.entity, .holder: Holder.entity, .label: Label.entity][kind]
    return entity?.properties.firstIndex { $0.name == name }
  }

  private func value(_ value: PropertyValue) -> Cell {
    switch value {
    case .null: .none
    case .bool(let it): .bool(it)
    case .int(let it): .int(Int(it))
    case .unsigned(let it): .unsigned(it)
    case .double(let it): .double(bits: it.bitPattern)
    case .string(let it): .text(Array(it.utf8))
    case .bytes(let it): .bytes(it)
    case .date(let it): .moment(bits: it.bitPattern)
    case .uuid(let it): .token(it)
    case .reference(let it): objects.key(it).map { .link($0) } ?? .none
    // Its models have none.
    case .blob: .none
    }
  }
}
