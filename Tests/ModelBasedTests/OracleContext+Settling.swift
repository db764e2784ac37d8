extension OracleContext {
  struct Settled {
    var clashes: [Clash]
    /// The part of the layer that is news to the state.
    var layer: Layer
    /// The state afterwards.
    var world: World
  }

  /// Puts a layer on a state that may have changed since: agreed changes fall away, others clash, and so does what
  /// deletions and one-to-ones would do to what the layer does not know.
  static func settle(_ layer: Layer, on state: World, _ mistake: Mistake?) -> Settled {
    var clashes: [Clash] = []
    var left: Layer = [:]
    for (key, edit) in layer {
      let theirs = state[key]
      switch edit {
      case .inserted:
        if theirs == nil { left[key] = edit } else { clashes.append(Clash(key: key, why: .insertedTwice)) }
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
        for (slot, change) in changes {
          let now = theirs[slot]
          if now != change.base && (now != change.now || now.isNumber) {
            let why = Clash.Why.attribute(slot: slot, base: change.base, mine: change.now, theirs: now)
            clashes.append(Clash(key: key, why: why))
          }
          if now != change.now { news[slot] = change }
        }
        if !news.isEmpty { left[key] = .updated(news) }
      }
    }
    let world = left.over(state)
    for (key, slot, target) in newLinks(left) {
      if world[target] == nil { clashes.append(Clash(key: key, why: .missingTarget(slot: slot))) }
      guard let link = Link.all.first(where: { $0.source == key.kind && $0.slot == slot }), link.isOneToOne else {
        continue
      }
      if mistake == .oneToOnesTakeWhatOthersPlaced { continue }
      for other in members(link, of: target, in: state) where other != key && world[other]?[slot] == .link(target) {
        let why = Clash.Why.taken(slot: slot, target: target, theirs: state[key]?[slot] ?? .none, by: other)
        clashes.append(Clash(key: key, why: why))
      }
    }
    for (key, edit) in left {
      guard case .deleted = edit, mistake != .cascadesTakeWhatOthersAdded else { continue }
      for link in Link.all where link.target == key.kind {
        for member in members(link, of: key, in: state) where world[member]?[link.slot] == .link(key) {
          let why = Clash.Why.addedToDeleted(slot: link.slot, target: key, cascades: link.cascadesToSource)
          clashes.append(Clash(key: member, why: why))
        }
      }
    }
    return Settled(clashes: clashes.sorted(), layer: left, world: clashes.isEmpty ? world : state)
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
}
