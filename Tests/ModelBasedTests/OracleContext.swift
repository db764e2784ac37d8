/// The log of the oracle: a copy of all objects for every position. Position 1 is the schema's.
final class OracleLog {
  var worlds: [World] = [[:], [:]]
  var mistake: Mistake?

  var head: Int { worlds.count - 1 }
}

/// A context of the oracle.
final class OracleContext {
  struct Step {
    var name: String?
    var before: Layer
    var after: Layer
  }

  let log: OracleLog
  let parent: OracleContext?
  /// Whether its changes survive a kill.
  let isDraft: Bool
  /// Whether a child with a draft saved something into it.
  private(set) var hasTakenFromDrafts = false
  private(set) var position: Int
  private(set) var layer: Layer = [:]
  private(set) var steps: [Step] = []
  private(set) var undone: [Step] = []
  private(set) var frozen: (layer: Layer, steps: [Step], undone: [Step])?
  /// What it deleted itself and saved: that takes no edits, until it is there again.
  private var savedDeletions: Set<Key> = []
  /// Whether changes above those that are being saved were let go of: there is nothing to redo then.
  private var hasLetGo = false
  private var lastEdit: (Key, Int)?
  private var group: (name: String?, isNew: Bool)?
  private var groupSteps = 0

  init(_ log: OracleLog, parent: OracleContext? = nil, isDraft: Bool) {
    self.log = log
    self.parent = parent
    self.isDraft = isDraft
    position = log.head
  }

  // MARK: Reading

  /// What the layer lies on.
  var below: World {
    let world = parent?.world ?? log.worlds[log.mistake == .pinnedContextMoves ? log.head : root.position]
    return frozen?.layer.over(world) ?? world
  }

  var world: World { layer.over(below) }

  var root: OracleContext { parent?.root ?? self }

  var hasChanges: Bool { !layer.isEmpty || frozen != nil }

  /// The objects that a layer of this context's stack brought in.
  var inserted: Set<Key> {
    var keys = parent?.inserted ?? []
    for layer in [frozen?.layer ?? [:], layer] {
      for (key, edit) in layer { if case .inserted = edit { keys.insert(key) } }
    }
    return keys
  }

  static func members(_ link: Link, of target: Key, in world: World) -> [Key] {
    world.keys.filter { $0.kind == link.source && world[$0]?[link.slot] == .link(target) }.sorted()
  }

  // MARK: Editing

  /// Copies the layer before a step, so that the step can be taken back by forgetting it.
  private func record(typing: (Key, Int)? = nil, _ body: () -> Void) {
    let before = layer
    body()
    undone = []
    var startsStep = true
    if let group {
      startsStep = group.isNew
      self.group?.isNew = false
      lastEdit = nil
    } else {
      if let typing, let lastEdit, typing == lastEdit { startsStep = false }
      lastEdit = typing
    }
    if startsStep || steps.isEmpty {
      steps.append(Step(name: group?.name, before: before, after: layer))
      if group != nil { groupSteps += 1 }
    } else {
      steps[steps.count - 1].after = layer
      if group == nil, let step = steps.last, step.before == step.after {
        steps.removeLast()
        lastEdit = nil
      }
    }
  }

  func grouped(_ name: String?, isTakenBack: Bool = false, _ body: () throws -> Void) rethrows {
    if group != nil { return try body() }
    group = (name, true)
    groupSteps = 0
    try body()
    group = nil
    lastEdit = nil
    if isTakenBack, groupSteps > 0, log.mistake != .aGroupThatThrowsKeepsHalf {
      layer = steps[steps.count - groupSteps].before
      steps.removeLast(groupSteps)
    } else if groupSteps > 0, let step = steps.last, step.before == step.after {
      steps.removeLast()
    }
  }

  func set(_ key: Key, _ slot: Int, to value: Cell) {
    guard let old = world[key]?[slot], old != value else { return }
    record(typing: (key, slot)) { layer.set(key, slot, from: old, to: value) }
  }

  func insert(_ objects: [(Key, Row)]) {
    grouped(nil) { for (key, values) in objects { record { layer.insert(key, values) } } }
  }

  func link(_ key: Key, _ link: Link, to target: Key?) { grouped(nil) { refer(key, link, to: target) } }

  /// From the other end of a one-to-one.
  func linkBack(_ target: Key, _ link: Link, to source: Key?) {
    grouped(nil) {
      for other in Self.members(link, of: target, in: world) where other != source { refer(other, link, to: nil) }
      if let source { refer(source, link, to: target) }
    }
  }

  func removeMember(_ source: Key, _ link: Link, of target: Key) {
    guard world[source]?[link.slot] == .link(target) else { return }
    grouped(nil) { refer(source, link, to: nil) }
  }

  private func refer(_ source: Key, _ link: Link, to target: Key?) {
    let new = target.map { Cell.link($0) } ?? .none
    let world = world
    guard let old = world[source]?[link.slot], old != new else { return }
    if let target, link.isOneToOne, log.mistake != .oneToOneKeepsBoth {
      for other in Self.members(link, of: target, in: world) where other != source { refer(other, link, to: nil) }
    }
    record { layer.set(source, link.slot, from: old, to: new) }
  }

  func delete(_ key: Key) { grouped(nil) { deleteAll([key]) } }

  private func deleteAll(_ keys: [Key]) {
    var waiting = keys
    while let key = waiting.popLast() {
      guard let values = world[key] else { continue }
      for link in Link.all {
        if link.source == key.kind, link.cascadesToTarget, case .link(let target) = values[link.slot] {
          waiting.append(target)
        }
        guard link.target == key.kind else { continue }
        for member in Self.members(link, of: key, in: world) where member != key {
          if link.cascadesToSource {
            if log.mistake != .cascadeStopsAtOne || waiting.isEmpty { waiting.append(member) }
          } else {
            refer(member, link, to: nil)
          }
        }
      }
      record { layer.delete(key, seenAs: world[key] ?? values) }
    }
  }

  /// What the layer deleted, or brought in and let go of, is brought in again with these values.
  func insertAgain(_ key: Key, _ last: Row) {
    var values = last
    let world = world
    for link in Link.all where link.source == key.kind {
      guard case .link(let target) = values[link.slot] else { continue }
      let isTaken = link.isOneToOne && !Self.members(link, of: target, in: world).isEmpty
      if world[target] == nil || isTaken { values[link.slot] = .none }
    }
    record { layer.insert(key, values) }
  }

  // MARK: Steps

  func discard() {
    hasLetGo = frozen != nil
    let kept = layer.first
    layer = [:]
    hasTakenFromDrafts = false
    if log.mistake == .discardKeepsOneEdit, let kept { layer[kept.key] = kept.value }
    steps = []
    undone = []
    lastEdit = nil
  }

  func undo() {
    guard let step = steps.popLast() else { return }
    let inserted = layer.filter { if case .inserted = $0.value { true } else { false } }
    layer = step.before
    if log.mistake == .undoKeepsInsertions { layer.merge(inserted) { $1 } }
    if log.mistake != .redoIsForgotten { undone.append(step) }
    lastEdit = nil
  }

  func redo() {
    guard let step = undone.popLast() else { return }
    layer = step.after
    steps.append(step)
    lastEdit = nil
  }

  /// Writes to an object that is not to be seen: what others deleted takes the edit, and shows a clash later.
  func setUnseen(_ key: Key, _ slot: Int, from shown: Cell, to value: Cell) {
    guard shown != value, takesEdits(key) else { return }
    record(typing: (key, slot)) { layer.set(key, slot, from: shown, to: value) }
  }

  private func takesEdits(_ key: Key) -> Bool {
    switch layer[key] ?? frozen?.layer[key] {
    case .deleted: return false
    case .updated: return true
    case .inserted, nil: break
    }
    if savedDeletions.contains(key) { return false }
    var below = parent
    while let context = below {
      for layer in [context.layer, context.frozen?.layer ?? [:]] {
        switch layer[key] {
        // An edit below clashes already, and so will what comes on top of it.
        case .deleted, .updated: return true
        case .inserted, nil: break
        }
      }
      below = context.parent
    }
    return log.worlds.contains { $0[key] != nil }
  }

  /// Whether the layer has changes of an object.
  func isEdited(_ key: Key) -> Bool { if case .updated = layer[key] { true } else { false } }

  /// Its draft was let go and taken up again: what was typed last is a step by itself.
  func takenUpAgain() {
    lastEdit = nil
    savedDeletions = []
  }

  /// All of its objects were read.
  func noteSeen() {
    let world = world
    savedDeletions = savedDeletions.filter { world[$0] == nil }
  }

  /// Takes note of what it deleted and saved.
  private func noteDeletions(_ layers: Layer..., from before: World = [:], to after: World) {
    for layer in layers {
      for (key, edit) in layer { if case .deleted = edit, after[key] == nil { savedDeletions.insert(key) } }
    }
    for key in before.keys where after[key] == nil { savedDeletions.insert(key) }
  }

  // MARK: Settling clashes

  /// Settles a clash: with what they have, with what this layer says, or, where there is nothing to choose, by letting
  /// go.
  func resolve(_ clash: Clash, keepingMine: Bool) {
    let key = clash.key
    if parent == nil, clash.why != .insertedTwice { refresh() }
    switch (clash.why, layer[key]) {
    case (.attribute(let slot, _, let mine, let theirs), .updated(var changes)):
      let value = keepingMine ? mine : theirs
      changes[slot] = value == theirs ? nil : Change(base: theirs, now: value)
      rewrite(key, changes.isEmpty ? nil : .updated(changes))
    case (.missingTarget(let slot), .updated(var changes)):
      let base = changes[slot]?.base ?? .none
      changes[slot] = base == .none ? nil : Change(base: base, now: .none)
      rewrite(key, changes.isEmpty ? nil : .updated(changes))
    case (.missingTarget(let slot), .inserted(var values)):
      values[slot] = .none
      rewrite(key, .inserted(values))
    case (.deletedByMe, .deleted(let last)):
      guard let theirs = state[key] else { return }
      rewrite(key, .deleted(base: theirs))
      for link in Link.all
      where link.source == key.kind && link.cascadesToTarget && theirs[link.slot] != last[link.slot] {
        if case .link(let target) = theirs[link.slot] { deleteBelow(target) }
      }
    case (.addedToDeleted(let slot, let target, let cascades), let edit):
      guard case .deleted = layer[target] else { return }
      if !keepingMine { return letGo(of: target) }
      if cascades { return deleteBelow(key) }
      var changes: [Int: Change] = [:]
      switch edit {
      case .deleted, .inserted: return
      case .updated(let others): changes = others
      case nil: break
      }
      changes[slot] = Change(base: .link(target), now: .none)
      rewrite(key, .updated(changes))
    case (.taken(let slot, let target, let theirs, let other), let edit):
      let isMeant = { (change: Cell?) in change == .link(target) }
      switch edit {
      case .inserted(var values):
        guard isMeant(values[slot]) else { return }
        if keepingMine { return take(slot, of: other, from: target) }
        values[slot] = theirs
        rewrite(key, .inserted(values))
      case .updated(var changes):
        guard isMeant(changes[slot]?.now) else { return }
        if keepingMine { return take(slot, of: other, from: target) }
        changes[slot] = nil
        rewrite(key, changes.isEmpty ? nil : .updated(changes))
      case .deleted, nil: return
      }
    default: letGo(of: key)
    }
  }

  /// What this layer lies on when it is saved.
  private var state: World { parent?.world ?? log.worlds[log.head] }

  private func take(_ slot: Int, of other: Key, from target: Key) {
    switch layer[other] {
    case .inserted(var values):
      values[slot] = .none
      rewrite(other, .inserted(values))
    case .updated(var changes):
      changes[slot] = Change(base: .link(target), now: .none)
      rewrite(other, .updated(changes))
    case .deleted: break
    case nil: rewrite(other, .updated([slot: Change(base: .link(target), now: .none)]))
    }
  }

  private func deleteBelow(_ key: Key) {
    if case .deleted = layer[key] { return }
    guard let theirs = state[key] else { return }
    rewrite(key, .deleted(base: theirs))
    for link in Link.all where link.source == key.kind && link.cascadesToTarget {
      if case .link(let target) = theirs[link.slot] { deleteBelow(target) }
    }
    for clash in Self.settle(layer, on: state, log.mistake).clashes {
      if case .addedToDeleted(_, key, _) = clash.why { resolve(clash, keepingMine: true) }
    }
  }

  /// Lets go of the changes of one object.
  func letGo(of key: Key) { if layer[key] != nil { rewrite(key, nil) } }

  private func rewrite(_ key: Key, _ edit: Edit?) {
    hasLetGo = frozen != nil
    layer[key] = edit
    steps = layer.isEmpty ? [] : [Step(name: nil, before: [:], after: layer)]
    undone = []
    lastEdit = nil
  }

  // MARK: Kept in a draft

  typealias Draft = (layer: Layer, steps: [Step], undone: [Step])

  var draft: Draft {
    get { (layer, steps, undone) }
    set { (layer, steps, undone) = newValue }
  }

  // MARK: Moving

  func refresh() { position = log.head }

  /// As after a relaunch: at the head, with the layer that the draft kept; without one, empty.
  func relaunch(keepingLayer: Bool) {
    position = log.head
    lastEdit = nil
    savedDeletions = []
    guard keepingLayer else { return discard() }
    if log.mistake == .restoreLosesTheLastGroup, let last = steps.popLast() { layer = last.before }
  }

  // MARK: Saving

  /// What a save would clash with now.
  func clashes() -> [Clash] { Self.settle(layer, on: state, log.mistake).clashes }

  /// Saves into the parent, or says why not.
  func saveIntoParent(_ name: String?) -> [Clash] {
    guard let parent else { return [] }
    let result = Self.settle(layer, on: parent.world, log.mistake)
    guard result.clashes.isEmpty else { return result.clashes }
    if layer.isEmpty { return [] }
    if isDraft || hasTakenFromDrafts { parent.hasTakenFromDrafts = true }
    let mine = layer
    discard()
    if !result.layer.isEmpty { parent.absorb(result.layer, name) }
    noteDeletions(mine, result.layer, to: parent.world)
    return []
  }

  private func absorb(_ upper: Layer, _ name: String?) {
    lastEdit = nil
    let before = layer
    layer = layer.with(upper)
    if log.mistake == .childSaveForgetsADeletion {
      for (key, edit) in upper { if case .deleted = edit { layer[key] = before[key] } }
    }
    undone = []
    steps.append(Step(name: name, before: before, after: layer))
  }

  /// A save begins: later edits lie above what it takes.
  func freeze() {
    frozen = (layer, steps, undone)
    hasTakenFromDrafts = false
    layer = [:]
    steps = []
    undone = []
    lastEdit = nil
  }

  /// The save ends: appended to the log, or refused.
  func finishSave() -> [Clash] {
    guard let saved = frozen else { return [] }
    frozen = nil
    defer { hasLetGo = false }
    let result = Self.settle(saved.layer, on: log.worlds[log.head], log.mistake)
    if !result.clashes.isEmpty && log.mistake != .savedOverAConflict {
      let above = steps.map {
        Step(name: $0.name, before: saved.layer.with($0.before), after: saved.layer.with($0.after))
      }
      let redone = undone.map {
        Step(name: $0.name, before: saved.layer.with($0.before), after: saved.layer.with($0.after))
      }
      layer = saved.layer.with(layer)
      steps = saved.steps + above
      undone = above.isEmpty && redone.isEmpty ? saved.undone : redone
      if hasLetGo { undone = [] }
      return result.clashes
    }
    noteDeletions(saved.layer, from: log.worlds[log.head], to: result.world)
    if result.world != log.worlds[log.head] { log.worlds.append(result.world) }
    position = log.head
    return []
  }
}
