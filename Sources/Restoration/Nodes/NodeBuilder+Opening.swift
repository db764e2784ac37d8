/// Opening nodes: in the normal run, and below a node whose factory is running.
extension NodeBuilder {
  /// Throws unless a node may be opened here. Before restore has finished, only a factory may open nodes, below its own
  /// node.
  func requirePlace(under parent: NodePath?, _ call: String = #function) throws(RestorationError) {
    if scene.phase == .restoring, let parent, let above = tree[parent], isBelowFactory(above) { return }
    try scene.requireRestored(call)
    if let parent, let above = tree[parent], above.status == .deferred { try ask(for: above) }
  }

  /// The archived node to use instead of a new one, because a factory opens it below its own node, or because it was
  /// deferred.
  func archived(_ kind: String, _ id: String, _ parent: NodePath?) throws(RestorationError) -> NodeEntry? {
    let above = parent.flatMap { tree[$0] }
    guard parent == nil || above != nil, let entry = tree[try NodePath.of(id, under: parent)],
      entry.isStored, !entry.isOpaque, !entry.isBeingMade, entry.kind == kind, entry.status != .live,
      tree.parent(of: entry) === above, entry.status == .deferred || above.map(isBelowFactory) ?? false
    else { return nil }
    return entry
  }

  /// Makes a node of the archive, and the visible nodes below it. If a factory above it is running, this happens later.
  ///
  /// - Parameter state: The state for the node. `nil` for the archived one. The state that a factory above it passes is
  ///   for a new node, and has no effect here.
  func claim(
    _ entry: NodeEntry, _ definition: any KindDefinition, _ state: () throws(StateCodingError) -> [UInt8]?
  ) throws(Unmet) -> AnyObject {
    if isBelowFactory(entry) { return try make(entry, definition) }
    let needs = entry.needs
    objects.hold(needs)
    do throws(StateCodingError) {
      if let state = try state() { entry.changeState(to: state[...], version: definition.versions.current) }
    } catch {
      throw .failed("its state could not be encoded: \(error)")
    }
    let isGiven = entry.unmigrated != nil
    let screen = try claim(entry, definition)
    if isGiven {
      editor.changes.mark(entry)
      objects.handover?.steps.append(.made(entry, needs: needs))
    }
    return screen
  }

  private func claim(_ entry: NodeEntry, _ definition: any KindDefinition) throws(Unmet) -> AnyObject {
    if running > 0 { return try make(entry, definition) }
    var screen: AnyObject?
    try scene.breaker.restoringMore { () throws(Unmet) in
      screen = try make(entry, definition)
      build([entry])
      finishAsking()
    }
    guard let screen, entry.status == .live else { throw .failed(entry.reasonNotLive) }
    return screen
  }

  /// Gives a node of the archive a two-phase screen that the factory above it made.
  func take(_ entry: NodeEntry, _ screen: any RestorableScreen, _ definition: any KindDefinition) throws(Unmet) {
    try migrate(entry, definition)
    decodeLater(screen, entry, try decoder(of: entry))
    editor.became(entry, screen, definition)
    entry.outcome = .reused
  }

  /// Makes the screen of a new entry. If that fails, takes the entry out of the tree again.
  func open<Screen: AnyObject>(
    _ entry: NodeEntry, _ definition: any KindDefinition, _ factory: () throws(Unmet) -> Screen?
  ) throws(Unmet) -> Screen {
    defer { finishMaking() }
    do throws(Unmet) {
      guard let screen = try whileMaking(entry, factory) else { throw .failed("its factory returned nothing") }
      guard entry.status != .closed else { throw .failed("its factory closed it") }
      took(entry, screen, definition)
      return screen
    } catch {
      editor.withdraw(entry)
      throw error
    }
  }

  /// A new entry has its screen. The former entry at its path leaves now, or once the new one is certain to stay.
  func took(_ entry: NodeEntry, _ screen: AnyObject, _ definition: any KindDefinition) {
    entry.version = definition.versions.current
    editor.became(entry, screen, definition)
    editor.changes.mark(entry)
    objects.handover?.steps.append(.opened(entry))
    guard let former = entry.displaced else { return }
    if objects.handover != nil {
      if former.status != .live { former.status = .replaced }
    } else if running > 0 {
      replaceLater(former, with: entry)
    } else {
      entry.displaced = nil
      editor.close(former)
    }
  }
}
