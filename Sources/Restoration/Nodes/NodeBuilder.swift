/// Makes nodes from the archive, parents before children, without recursion.
final class NodeBuilder {
  let scene: Scene
  let tree: NodeTree
  let kinds: KindRegistry
  let objects: ObjectRegistry
  let screens: TwoPhaseScreens
  let dependencies: DependencyResolver
  let editor: TreeEditor
  let report: ReportBuilder
  let stateDecoder = StateDecoder()
  var waitingForKind: [String: [NodeEntry]] = [:]
  /// Two-phase screens that were made and have not decoded yet.
  private var undecoded: [(entry: NodeEntry, screen: any RestorableScreen, decoder: RestorationDecoder)] = []
  private var isDecoding = false
  /// The number of nested factories of nodes that are running.
  private(set) var running = 0
  /// Nodes that factories opened as replacements.
  private var replacing: [NodeEntry] = []

  init(
    _ scene: Scene, _ tree: NodeTree, _ kinds: KindRegistry, _ objects: ObjectRegistry, _ screens: TwoPhaseScreens,
    _ dependencies: DependencyResolver, _ editor: TreeEditor, _ report: ReportBuilder
  ) {
    self.scene = scene
    self.tree = tree
    self.kinds = kinds
    self.objects = objects
    self.screens = screens
    self.dependencies = dependencies
    self.editor = editor
    self.report = report
    tree.make = { [weak self] entry in try? self?.ask(for: entry) }
  }

  /// Makes all nodes.
  func buildAll() {
    var stack: [NodeEntry] = []
    pushVisible(below: tree.top, onto: &stack)
    build(stack)
  }

  /// Makes nodes and all below them. Each of them is a root, or its parent is live.
  ///
  /// - Parameter stack: The nodes to make, the last one first.
  func build(_ stack: consuming [NodeEntry]) {
    while let entry = stack.popLast() {
      guard entry.status != .closed, entry.status != .replaced else { continue }
      // The node may be live already, because the factory above requested it. The nodes below it are still unmade.
      if entry.status == .live || didMake(entry) { pushVisible(below: entry, onto: &stack) }
    }
    finishMaking()
  }

  /// A container may show only some children. All its other children are deferred, unless its factory opened them.
  private func pushVisible(below entry: NodeEntry, onto stack: inout [NodeEntry]) {
    let selected = tree.selected(of: entry)
    if selected.isEmpty { return tree.pushChildren(of: entry, onto: &stack) }
    for child in tree.knownChildren(of: entry).reversed() {
      // The children of the top also include nodes whose parents are lost.
      let isLost = entry === tree.top && child.path.parent != nil
      if child.status == .live || isLost || selected.contains(where: { $0 === child }) {
        stack.append(child)
      } else {
        editor.putOff(child)
      }
    }
  }

  private func didMake(_ entry: NodeEntry) -> Bool {
    do throws(Unmet) { try make(entry) } catch { return false }
    return true
  }

  /// Makes a node from its record by the factory of its kind, or skips it and the nodes below it.
  func make(_ entry: NodeEntry) throws(Unmet) {
    var refusal: RestorationReport.Outcome?
    if entry.isOpaque {
      refusal = entry.outcome ?? .corrupt(reason: "its state cannot be read")
    } else if tree.isRoot(entry), entry.path.parent != nil {
      refusal = entry.outcomeOfOrphan
    } else if let definition = kinds[entry.kind] {
      _ = try make(entry, definition)
    } else {
      waitingForKind[entry.kind, default: []].append(entry)
      refusal = .unresolved("no kind '\(entry.kind)' is defined")
    }
    guard let refusal else { return }
    skip(entry, refusal)
    throw .failed("\(refusal)")
  }

  /// Makes a node from its record, or skips it and the nodes below it, and reports the reason.
  func make(_ entry: NodeEntry, _ definition: any KindDefinition) throws(Unmet) -> AnyObject {
    do throws(Unmet) {
      if scene.breaker.holds(entry.key) { throw .quarantined("it") }
      let made = try whileMaking(entry) { () throws(Unmet) in
        try scene.breaker.watching(entry.key) { () throws(Unmet) in
          try migrate(entry, definition)
          return try definition.restored(entry, by: self)
        }
      }
      guard var screen = consume made else { throw .skipped("its factory found nothing to restore") }
      guard entry.status != .closed else { throw .skipped("its factory closed it") }
      // If nothing else retains the screen, no other node has it.
      let isReused = !isKnownUniquelyReferenced(&screen) && editor.hasScreen(screen)
      editor.became(entry, screen, definition)
      entry.outcome = isReused ? .reused : .restored
      return screen
    } catch {
      if entry.status == .closed {
        entry.outcome = error.outcome
        throw error
      }
      if let key = error.key {
        entry.status = .waiting
        objects.waiting[key, default: []].append(entry)
      }
      skip(entry, error.outcome)
      throw error
    }
  }

  /// Brings a node's state to the version of its kind.
  func migrate(_ entry: NodeEntry, _ definition: any KindDefinition) throws(Unmet) {
    do throws(StateVersionError) { try entry.migrate(definition.versions) } catch { throw .version(error) }
  }

  /// Leaves a node and all nodes below it unmade, and reports the reason.
  private func skip(_ entry: NodeEntry, _ outcome: RestorationReport.Outcome) {
    report.skipped()
    // The archive does not have the nodes that its factory opened.
    for other in tree.knownSubtree(of: entry) where !other.isStored && other !== entry {
      if other.status != .closed { editor.withdraw(other) }
    }
    entry.outcome = outcome
    let below = entry.outcomeBelow
    for other in tree.knownSubtree(of: entry) {
      if other.status != .waiting { other.status = .kept }
      editor.unmake(other)
      if other === entry {
        continue
      } else if other.isOpaque {
        other.outcome = other.outcome ?? below
      } else {
        other.outcome = below
      }
    }
  }

  /// The paths of live nodes.
  var livePaths: [NodePath] {
    tree.knownChildren(of: nil).flatMap { root in
      tree.knownSubtree(of: root).filter { $0.status == .live }.map(\.path)
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

  /// Notes that a factory opened a node at the path of another one. The other node leaves once it is certain that the
  /// new one stays.
  func replaceLater(_ former: NodeEntry, with entry: NodeEntry) {
    former.status = .replaced
    replacing.append(entry)
  }

  /// Called when no factory is running. Unavailable objects may be requested again, and objects that have arrived are
  /// delivered.
  func finishMaking() {
    guard running == 0 else { return }
    closeReplaced()
    guard scene.phase == .restored else { return }
    if !undecoded.isEmpty, !isDecoding {
      decodeMade()
      tellFinished()
    }
    for key in objects.reopen() { if let nodes = objects.waiting.removeValue(forKey: key) { buildWaiting(nodes) } }
  }

  private func closeReplaced() {
    guard !replacing.isEmpty else { return }
    let entries = replacing
    replacing = []
    for entry in entries where entry.status == .live {
      guard let former = entry.displaced else { continue }
      entry.displaced = nil
      for other in tree.subtree(of: former) where other.outcome == nil {
        other.outcome = .skipped(reason: "another screen was opened at the path '\(former.path)'")
      }
      editor.close(former)
    }
  }

  // MARK: Two phases

  /// The decoder for the state of a two-phase screen. A reference to no node decodes as `nil`. Late objects are
  /// awaited.
  func decoder(of entry: NodeEntry) throws(Unmet) -> RestorationDecoder {
    for key in entry.needs {
      do throws(Unmet) { _ = try objects.resolve(key) } catch { if case .waiting = error { throw error } }
    }
    do throws(StateCodingError) {
      return try RestorationDecoder(entry.state, path: entry.path, objects)
    } catch {
      throw .failed("its state could not be read: \(error)")
    }
  }

  func decodeLater(_ screen: any RestorableScreen, _ entry: NodeEntry, _ decoder: RestorationDecoder) {
    undecoded.append((entry, screen, decoder))
  }

  /// Two-phase screens take up their state, now that all are made.
  func decodeMade() {
    // A screen that refers to a deferred node makes it. The deferred screen decodes in the same step as all screens.
    if isDecoding { return }
    isDecoding = true
    defer { isDecoding = false }
    while !undecoded.isEmpty {
      let batch = undecoded
      undecoded = []
      for (entry, screen, decoder) in batch where entry.status == .live {
        do {
          try scene.breaker.watching(entry.key) { try screen.decodeRestorableState(with: decoder) }
          entry.unknown = try decoder.unknownKeys()
          screens.hasDecoded(screen)
        } catch {
          skip(entry, .failed(reason: "its state could not be decoded: \(error)"))
        }
      }
    }
  }

  /// Call this once all screens are made and have decoded. Fills the back references, and calls each two-phase screen
  /// once.
  func tellFinished() {
    objects.fillBackReferences()
    screens.tellFinished { entry, screen in
      scene.breaker.watching(entry?.key ?? "") { screen.restorationFinished() }
    }
  }

  func forgetWaiting() { (waitingForKind, undecoded) = ([:], []) }
}
