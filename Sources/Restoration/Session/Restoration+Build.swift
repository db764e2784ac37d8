/// Making nodes from the archive, parents before children, without recursion.
extension Restoration {
  /// Makes nodes and all below them. Each of them is a root, or its parent is live.
  func build(_ roots: [NodeEntry]) {
    var stack = Array(roots.reversed())
    while let entry = stack.popLast() {
      guard entry.status != .live, entry.status != .closed else { continue }
      if make(entry) { stack += tree.children(of: entry).reversed() }
    }
  }

  private func make(_ entry: NodeEntry) -> Bool {
    if entry.isOpaque {
      skip(entry, entry.outcome ?? .corrupt(reason: "its record cannot be read"))
      return false
    }
    if let parent = entry.path.parent, tree[parent] == nil {
      skip(entry, .skipped(reason: "the archive has no node '\(parent)' above it"))
      return false
    }
    guard let definition = kinds[entry.kind] else {
      waitingForKind[entry.kind, default: []].append(entry)
      skip(entry, .unresolved("no kind '\(entry.kind)' is defined"))
      return false
    }
    do throws(Unmet) {
      guard let screen = try definition.restored(entry, in: self) else {
        skip(entry, .skipped(reason: "its factory found nothing to restore"))
        return false
      }
      guard entry.status != .closed else {
        settle(entry, .skipped(reason: "its factory closed it"))
        return false
      }
      let isReused = screens[ObjectIdentifier(screen)] != nil
      became(entry, screen, definition)
      settle(entry, isReused ? .reused : .restored)
      return true
    } catch {
      switch error {
      case .waiting(let key), .missing(let key):
        entry.status = .waiting
        waiting[key, default: []].append(entry)
      default: break
      }
      skip(entry, error.outcome)
      return false
    }
  }

  /// A node has its screen.
  func became(_ entry: NodeEntry, _ screen: AnyObject, _ definition: any KindDefinition) {
    entry.status = .live
    entry.screen = screen
    screens[ObjectIdentifier(screen), default: 0] += 1
    if definition is TwoStepKind {
      twoStep[ObjectIdentifier(screen)] = entry
      return
    }
    changeNeeds(of: entry, to: definition.needs.references)
    if entry.isMoved { mark(entry) }
  }

  /// A node is not made; what is below it is not either, and says why.
  private func skip(_ entry: NodeEntry, _ outcome: RestorationReport.Outcome) {
    let below: RestorationReport.Outcome =
      if case .pending = outcome { outcome } else { .skipped(reason: "'\(entry.path)' above it was not restored") }
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
    entry.ownContext = nil
    entry.isMoved = false
    guard let screen = entry.screen else { return }
    let id = ObjectIdentifier(screen)
    if twoStep[id] === entry { twoStep[id] = nil }
    screens[id] = screens[id].flatMap { $0 > 1 ? $0 - 1 : nil }
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
    let ready = nodes.filter { entry in
      entry.status == .kept && (tree.isRoot(entry) || tree.parent(of: entry)?.status == .live)
    }
    build(ready.sorted { $0.order < $1.order })
    decodeMade()
    guard phase == .restored else { return }
    tellFinished()
    updateReport()
    scheduleFlush()
  }
}
