/// Opening nodes: in the normal run, and below a node whose factory is running.
extension NodeBuilder {
  /// Before restore has finished, only factories open nodes, below their own.
  func requirePlace(under parent: NodePath?, _ what: String) throws(RestorationError) {
    if scene.phase == .restoring, let parent, let above = tree[parent], isBelowFactory(above) { return }
    try scene.requireRestored(what)
  }

  /// The archive's node that a factory opens below its own, to be made from the archive.
  func archived(_ kind: String, _ id: String, _ parent: NodePath?) throws(RestorationError) -> NodeEntry? {
    guard running > 0, let parent, let above = tree[parent], let entry = tree[try NodePath.of(id, under: parent)],
      entry.isStored, !entry.isOpaque, !entry.isBeingMade, entry.kind == kind, entry.status != .live,
      tree.parent(of: entry) === above, isBelowFactory(above)
    else { return nil }
    return entry
  }

  /// Gives a node of the archive a two-step screen that the factory above it made.
  func take(_ entry: NodeEntry, _ screen: any RestorableScreen, _ definition: any KindDefinition) throws(Unmet) {
    decodeLater(screen, entry, try decoder(of: entry))
    editor.became(entry, screen, definition)
    entry.outcome = .reused
  }

  /// Makes the screen of a new entry; or takes the entry out again.
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

  /// A new entry has its screen. Whoever was at its path leaves: now, or when it is certain that this one stays.
  func took(_ entry: NodeEntry, _ screen: AnyObject, _ definition: any KindDefinition) {
    editor.became(entry, screen, definition)
    editor.changes.mark(entry)
    guard let former = entry.displaced else { return }
    if former.status == .live {
      objects.handover?.nodes.append(entry)
    } else if running > 0 {
      replaceLater(former, with: entry)
    } else {
      entry.displaced = nil
      editor.close(former)
    }
  }

  /// Gives paths back to former nodes that did not leave.
  ///
  /// - Returns: Those paths.
  func giveBack(_ handover: Handover) -> [String] {
    let nodes = handover.nodes.filter { $0.status == .live && $0.displaced?.status == .live }
    for entry in handover.nodes where entry.displaced?.status == .closed { entry.displaced = nil }
    return nodes.map { entry in
      editor.withdraw(entry)
      return entry.path.text
    }
  }
}
