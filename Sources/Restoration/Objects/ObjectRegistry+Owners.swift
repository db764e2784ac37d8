/// Registers owners of keys, and lets them leave.
extension ObjectRegistry {
  /// Gives a key to a new owner; within a handover, even one that has an owner.
  func claim(_ key: String, _ site: RegistrationSite) throws(RestorationError) -> ObjectEntry {
    try NodePath.check(key)
    if let entry = entries[key], entry.hasOwner, let first = entry.site {
      guard handover != nil else { throw .duplicate(id: key, first: first, second: site) }
      takeOver(entry)
    }
    if scene.phase == .restored, !isExpected(key) { throw .nothingWaits(key: key, site) }
    let entry = entry(key)
    remember(entry)
    entry.site = site
    entry.lateFailure = nil
    entry.bring = nil
    entry.resolution = .open
    entry.wasRegistered = true
    return entry
  }

  /// Unregisters the object of a key.
  func unregister(_ key: String) {
    guard let entry = entries[key] else { return }
    if handover?.left(key) == true { return }
    if handover?.knows(key) == false {
      takeOver(entry, hasLeft: true)
      entry.isPlaceholder = false
      return
    }
    entry.late?.cancel()
    entry.late = nil
    entry.bring = nil
    entry.lateFailure = nil
    entry.registered = nil
    entry.isPlaceholder = false
    entry.restorable = nil
    entry.resolution = .open
    // Otherwise, the key may get its former owner back.
    guard scene.phase == .restored, handover == nil else { return }
    if entry.factory == nil { forgetState(of: entry) }
  }

  /// The keys of objects whose factories need the object of a key, directly or through other objects.
  func objectsMade(with key: String) -> Set<String> {
    var found: Set<String> = []
    var stack = [key]
    while let here = stack.popLast() {
      for entry in entries.values {
        guard case .done = entry.resolution, let needs = entry.factory?.needs.references, needs.contains(here),
          found.insert(entry.key).inserted
        else { continue }
        stack.append(entry.key)
      }
    }
    return found
  }

  /// An object replaces the placeholder of a key. Objects that factories made with the placeholder are made again on
  /// request, with their states.
  func replacePlaceholder(_ key: String) {
    for case let entry? in objectsMade(with: key).map({ entries[$0] }) {
      try? takeState(of: entry)
      entry.node?.moved(to: nil)
      entry.node = nil
      entry.made = nil
      entry.resolution = .open
    }
  }

  /// Returns when each late object of these keys, and each object that the factories of these keys need, has arrived,
  /// has failed or is overdue.
  nonisolated(nonsending) func waitUntilSettled(_ keys: [String]) async {
    // During the wait, other objects may be registered.
    while let late = arrivals(of: keys).first(where: { !$0.isOverdue }) { await late.waitUntilSettled() }
  }

  private func arrivals(of keys: [String]) -> [LateArrival] {
    var (seen, stack) = (Set(keys), keys)
    var found: [LateArrival] = []
    while let key = stack.popLast() {
      guard let entry = entries[key] else { continue }
      if let late = entry.late { found.append(late) }
      for key in entry.factory?.needs.compactMap(\.key) ?? [] where seen.insert(key).inserted { stack.append(key) }
    }
    return found
  }

  /// The cycle from a key back to itself through the needs of factories. `nil` if there is none.
  func cycle(from key: String, _ needs: [Need]) -> [String]? {
    var cameFrom: [String: String] = [:]
    var stack = needs.compactMap(\.key)
    for need in stack { cameFrom[need] = key }
    while let here = stack.popLast() {
      if here == key {
        var way: [String] = []
        var step = cameFrom[key]
        while let present = step, present != key {
          way.append(present)
          step = cameFrom[present]
        }
        return [key] + Array(way.reversed()) + [key]
      }
      for next in entries[here]?.factory?.needs.compactMap(\.key) ?? [] where cameFrom[next] == nil {
        cameFrom[next] = here
        stack.append(next)
      }
    }
    return nil
  }
}
