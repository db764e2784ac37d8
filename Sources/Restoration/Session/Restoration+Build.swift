/// Making nodes from the archive, parents before children, without recursion.
extension Restoration {
  /// Makes nodes and all below them. Each of them is a root, or its parent is live.
  func build(_ roots: [NodeEntry]) { buildAll(roots.reversed()) }

  /// Makes all nodes.
  func buildAll() {
    var stack: [NodeEntry] = []
    tree.pushChildren(of: nil, onto: &stack)
    buildAll(stack)
  }

  /// - Parameter stack: What is to be made, the last one first.
  private func buildAll(_ stack: consuming [NodeEntry]) {
    while let entry = stack.popLast() {
      guard entry.status != .closed, entry.status != .replaced else { continue }
      // Live: the factory above asked for it. What is below it is still to be made.
      if entry.status == .live || make(entry) { tree.pushChildren(of: entry, onto: &stack) }
    }
    finishMaking()
  }

  private func make(_ entry: NodeEntry) -> Bool {
    if entry.isOpaque {
      skip(entry, entry.outcome ?? .corrupt(reason: "its record cannot be read"))
      return false
    }
    if tree.isRoot(entry), let parent = entry.path.parent {
      skip(entry, .skipped(reason: "the archive has no node '\(parent)' above it"))
      return false
    }
    guard let definition = kinds[entry.kind] else {
      waitingForKind[entry.kind, default: []].append(entry)
      skip(entry, .unresolved("no kind '\(entry.kind)' is defined"))
      return false
    }
    do throws(Unmet) { _ = try make(entry, definition) } catch { return false }
    return true
  }

  /// Makes a node from its record; or skips it, with what is below it, and says why.
  func make(_ entry: NodeEntry, _ definition: any KindDefinition) throws(Unmet) -> AnyObject {
    do throws(Unmet) {
      let made = try whileMaking(entry) { () throws(Unmet) in try definition.restored(entry, in: self) }
      guard let screen = made else { throw .skipped("its factory found nothing to restore") }
      guard entry.status != .closed else { throw .skipped("its factory closed it") }
      let isReused = became(entry, screen, definition)
      settle(entry, isReused ? .reused : .restored)
      return screen
    } catch {
      if entry.status == .closed {
        settle(entry, error.outcome)
        throw error
      }
      if let key = error.key {
        entry.status = .waiting
        waiting[key, default: []].append(entry)
      }
      skip(entry, error.outcome)
      throw error
    }
  }

  /// Gives a node of the archive a two-step screen that the factory above it made.
  func make(_ entry: NodeEntry, as screen: any RestorableScreen, _ definition: TwoStepKind) throws(Unmet) {
    try requireLateReferences(of: entry)
    undecoded.append((entry, screen, try decoder(of: entry)))
    became(entry, screen, definition)
    settle(entry, .reused)
  }

  /// Of a two-step screen, a reference to nothing decodes as nothing; one to what is still to come is waited for.
  func requireLateReferences(of entry: NodeEntry) throws(Unmet) {
    for key in entry.needs {
      do throws(Unmet) { _ = try resolve(key) } catch { if case .waiting = error { throw error } }
    }
  }

  // MARK: Factories that open nodes

  /// Runs a node's factory, which may open nodes below it.
  func whileMaking<Made>(_ entry: NodeEntry, _ factory: () throws(Unmet) -> Made) throws(Unmet) -> Made {
    entry.isBeingMade = true
    running += 1
    defer {
      entry.isBeingMade = false
      running -= 1
    }
    return try factory()
  }

  /// Whether the factory of an entry, or of one above it, is running.
  func isBelowFactory(_ entry: NodeEntry) -> Bool {
    running > 0 && (entry.isBeingMade || tree.ancestors(of: entry).contains(where: \.isBeingMade))
  }

  /// No factory of a node is running any more. What could not be had may be asked for again, and what can be had since,
  /// is delivered.
  func finishMaking() {
    guard running == 0 else { return }
    closeReplaced()
    guard phase == .restored else { return }
    for entry in refused { if case .refused = entry.resolution { entry.resolution = .open } }
    refused = []
    let keys = arrived
    arrived = []
    for key in keys { if let nodes = waiting.removeValue(forKey: key) { buildWaiting(nodes) } }
  }

  /// What factories opened other nodes in the place of, goes, now that it is certain that those stay.
  private func closeReplaced() {
    guard !replacing.isEmpty else { return }
    let entries = replacing
    replacing = []
    for entry in entries where entry.status == .live {
      guard let former = entry.displaced else { continue }
      entry.displaced = nil
      for other in tree.subtree(of: former) where other.outcome == nil {
        settle(other, .skipped(reason: "another node was opened in the place of '\(former.path)'"))
      }
      close(former)
    }
  }

  /// A node has its screen.
  ///
  /// - Returns: Whether another node has it as well.
  @discardableResult
  func became(_ entry: NodeEntry, _ screen: AnyObject, _ definition: any KindDefinition) -> Bool {
    entry.status = .live
    entry.screen = screen
    let isReused = screens.add(screen)
    if definition is TwoStepKind {
      twoStep[ObjectIdentifier(screen)] = entry
      return isReused
    }
    changeNeeds(of: entry, to: definition.references)
    if entry.isMoved { mark(entry) }
    return isReused
  }

  /// A node is not made; what is below it is not either, and says why.
  private func skip(_ entry: NodeEntry, _ outcome: RestorationReport.Outcome) {
    let below: RestorationReport.Outcome =
      if case .pending = outcome { outcome } else { .skipped(reason: "'\(entry.path)' above it was not restored") }
    hasSkipped = true
    // What its factory opened is nothing of the archive.
    for other in tree.subtree(of: entry) where !other.isStored && other.status != .closed { withdraw(other) }
    for other in tree.subtree(of: entry) {
      if other.status != .waiting { other.status = .kept }
      unmake(other)
      if other === entry {
        settle(other, outcome)
      } else if other.isOpaque {
        settle(other, other.outcome ?? below)
      } else {
        settle(other, below)
      }
    }
  }

  /// Lets a node's screen go, and keeps its record.
  func unmake(_ entry: NodeEntry) {
    entry.node?.moved(to: nil)
    entry.node = nil
    if entry.ownContext?.owner === entry { entry.ownContext?.owner = nil }
    entry.ownContext = nil
    entry.isMoved = false
    guard let screen = entry.screen else { return }
    if twoStep[ObjectIdentifier(screen)] === entry { twoStep[ObjectIdentifier(screen)] = nil }
    screens.remove(screen)
    entry.screen = nil
  }

  // MARK: Two steps

  func decoder(of entry: NodeEntry) throws(Unmet) -> RestorationDecoder {
    do throws(StateCodingError) {
      return try RestorationDecoder(entry.state, path: entry.path, in: self)
    } catch {
      throw .failed("its state could not be read: \(error)")
    }
  }

  /// Two-step screens take up their state, now that all are made.
  func decodeMade() {
    while !undecoded.isEmpty {
      let batch = undecoded
      undecoded = []
      for (entry, screen, decoder) in batch where entry.status == .live {
        do {
          try screen.decodeRestorableState(with: decoder)
          entry.unknown = try decoder.unknownKeys()
          finishing.append(screen)
        } catch {
          skip(entry, .failed(reason: "its state could not be taken up: \(error)"))
        }
      }
    }
  }

  /// All are made and have decoded: references back are filled, and each two-step screen is told, once.
  func tellFinished() {
    fillBackReferences()
    let finished = finishing
    finishing = []
    for screen in finished { screen.restorationFinished() }
  }

  func fillBackReferences() {
    let references = backReferences
    backReferences = []
    for fill in references { fill(self) }
  }

  // MARK: Late arrivals

  /// Something that nodes waited for is there, or will not come.
  func deliver(_ key: String) {
    if let entry = objects[key], entry.state != nil || entry.references > 0 { _ = try? resolve(key) }
    buildWaiting(waiting.removeValue(forKey: key) ?? [])
  }

  func deliver(kind: String) { buildWaiting(waitingForKind.removeValue(forKey: kind) ?? []) }

  private func buildWaiting(_ nodes: [NodeEntry]) {
    for entry in nodes where entry.status == .waiting { entry.status = .kept }
    // One that was tried again meanwhile, with the one above it, is there twice.
    var seen: Set<ObjectIdentifier> = []
    let ready = nodes.filter { entry in
      entry.status == .kept && (tree.isRoot(entry) || tree.parent(of: entry)?.status == .live)
        && seen.insert(ObjectIdentifier(entry)).inserted
    }
    build(ready.sorted { $0.order < $1.order })
    decodeMade()
    guard phase == .restored else { return }
    tellFinished()
    updateReport()
    scheduleFlush()
  }
}
