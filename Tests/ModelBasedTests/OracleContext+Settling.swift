extension OracleContext {
  struct Settled {
    var clashes: [Clash]
    /// The part of the layer that is news to the state.
    var layer: Layer
    /// The state afterwards, what the rules add included.
    var world: World
    /// Whether the clashes come of the rules, which are followed only when it is saved.
    var isByRule = false
  }

  /// Puts a layer on a state that may have changed since: agreed changes fall away, others clash.
  static func settle(_ layer: Layer, on state: World, _ log: OracleLog) -> Settled {
    var clashes: [Clash] = []
    var left: Layer = [:]
    for (key, edit) in layer {
      let theirs = state[key]
      switch edit {
      case .inserted(let values):
        if theirs != nil { clashes.append(Clash(key: key, why: .insertedTwice)) }
        left[key] = .inserted(values)
      case .deleted(let base):
        guard let theirs else { continue }
        if base != theirs { clashes.append(Clash(key: key, why: .deletedByMe)) }
        left[key] = edit
      case .updated(let changes):
        guard let theirs else {
          clashes.append(Clash(key: key, why: .deletedByThem))
          continue
        }
        var news: [Int: Change] = [:]
        for (slot, change) in changes
        where theirs[slot] != change.now || change.now.isNumber && change.base != theirs[slot] {
          if theirs[slot] != change.base {
            let why = Clash.Why.attribute(slot: slot, base: change.base, mine: change.now, theirs: theirs[slot])
            clashes.append(Clash(key: key, why: why))
          }
          news[slot] = change
        }
        if !news.isEmpty { left[key] = .updated(news) }
      }
    }
    guard clashes.isEmpty else { return Settled(clashes: clashes.sorted(), layer: left, world: state) }
    var world = left.over(state)
    for (key, slot, target) in newLinks(left) where world[target] == nil {
      clashes.append(Clash(key: key, why: .missingTarget(slot: slot)))
    }
    guard clashes.isEmpty else { return Settled(clashes: clashes.sorted(), layer: left, world: state) }
    complete(left, &world)
    // What the rules took away may be what another change refers to.
    for (key, slot, target) in newLinks(left) where world[key] != nil && world[target] == nil {
      clashes.append(Clash(key: key, why: .missingTarget(slot: slot)))
    }
    return Settled(clashes: clashes.sorted(), layer: left, world: clashes.isEmpty ? world : state, isByRule: true)
  }

  private static func newLinks(_ layer: Layer) -> [(Key, Int, Key)] {
    layer.flatMap { key, edit -> [(Key, Int, Key)] in
      switch edit {
      case .inserted(let values):
        values.indices.compactMap { if case .link(let target) = values[$0] { (key, $0, target) } else { nil } }
      case .updated(let changes):
        changes.compactMap { if case .link(let target) = $1.now { (key, $0, target) } else { nil } }
      case .deleted: []
      }
    }
  }

  /// Carries deletions to what the layer could not see, and keeps one-to-ones one to one.
  private static func complete(_ layer: Layer, _ world: inout World) {
    var gone: [Key] = layer.compactMap { if case .deleted = $1 { $0 } else { nil } }
    while let key = gone.popLast() {
      for link in Link.all where link.target == key.kind {
        for member in members(link, of: key, in: world) {
          if link.cascadesToSource {
            for onward in Link.all where onward.source == member.kind && onward.cascadesToTarget {
              if case .link(let target) = world[member]?[onward.slot], world.removeValue(forKey: target) != nil {
                gone.append(target)
              }
            }
            world[member] = nil
            gone.append(member)
          } else {
            world[member]?[link.slot] = .none
          }
        }
      }
    }
    for (key, slot, target) in newLinks(layer) {
      guard let link = Link.all.first(where: { $0.source == key.kind && $0.slot == slot }), link.isOneToOne,
        world[key]?[slot] == .link(target)
      else { continue }
      for other in members(link, of: target, in: world) where other != key { world[other]?[slot] = .none }
    }
  }
}
