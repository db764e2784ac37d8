import RepriseSystem

/// The two-phase screens that have a node, and the references to nodes of any kind.
///
/// A reference has the identity of its node instead of its path. So it follows a move, and never leads to another node
/// at the former path. Keyed by screen, because these screens have no `RestorationNode`.
final class TwoPhaseScreens {
  /// The nodes by their screen, because two-phase screens have no `RestorationNode`.
  private var nodes: [ObjectIdentifier: NodeEntry] = [:]
  /// The nodes that something refers to, by their identity.
  private var referredTo: [String: NodeEntry] = [:]
  /// The identities that several nodes have.
  private var ambiguous: Set<String> = []
  /// The screens and objects that have decoded. They get a call once all have decoded.
  private var finishing: [any RestorableScreen] = []
  private let tree: NodeTree
  private let changes: TurnChanges

  init(_ tree: NodeTree, _ changes: TurnChanges) {
    self.tree = tree
    self.changes = changes
  }

  // MARK: Nodes of screens

  func entry(of screen: any RestorableScreen) -> NodeEntry? { nodes[ObjectIdentifier(screen)] }

  func add(_ screen: AnyObject, _ entry: NodeEntry) { nodes[ObjectIdentifier(screen)] = entry }

  func remove(_ screen: AnyObject, _ entry: NodeEntry) {
    if nodes[ObjectIdentifier(screen)] === entry { nodes[ObjectIdentifier(screen)] = nil }
  }

  /// Marks the nodes of all two-phase screens, so that each screen encodes its state.
  func markAll() { for entry in nodes.values { changes.mark(entry) } }

  // MARK: References

  /// Notes a node of the archive that something refers to. In a forged archive, two nodes may have the same identity.
  /// Then references to it lead to neither.
  func hold(_ entry: NodeEntry) {
    guard let other = referredTo.updateValue(entry, forKey: entry.identity), other !== entry else { return }
    let (first, last) = (min(other.path, entry.path), max(other.path, entry.path))
    tree.damage.append(
      "The screens '\(first)' and '\(last)' have the same identity in the archive, so references to them are nil. "
        + "Close both screens and open them again.")
    ambiguous.insert(entry.identity)
  }

  func forgetReferences(to entry: NodeEntry) {
    if !entry.identity.isEmpty { referredTo[entry.identity] = nil }
  }

  func reference(to screen: any RestorableScreen) -> String? { entry(of: screen).map { "//" + identity(of: $0) } }

  /// A reference to a node. `nil` if its record cannot store the identity.
  func reference(to entry: NodeEntry) -> NodeReference? {
    entry.isOpaque || entry.status == .closed ? nil : NodeReference(identity(of: entry))
  }

  /// The node that a reference leads to. `nil` if it was closed.
  func node(_ reference: NodeReference) -> NodeEntry? {
    guard let entry = node(identifiedBy: reference.identity) else { return nil }
    return entry.status == .closed || entry.status == .replaced ? nil : entry
  }

  /// The identity that references to a node use. The first reference assigns it, for the life of the node.
  private func identity(of entry: NodeEntry) -> String {
    if entry.identity.isEmpty {
      // At most 13 digits: no allocation.
      entry.identity = String(RandomWords.next(), radix: 36)
      hold(entry)
      // The record must have the identity, even if the node cannot be made.
      if entry.isStored { entry.isRearranged = true } else { entry.isMoved = true }
      changes.mark(entry)
    }
    return entry.identity
  }

  func screen(referredTo text: String) -> AnyObject? {
    text.hasPrefix("//") ? node(identifiedBy: String(text.dropFirst(2))).flatMap(screen) : nil
  }

  private func node(identifiedBy identity: String) -> NodeEntry? {
    if referredTo[identity] == nil { tree.readAll() }
    if ambiguous.contains(identity) { return nil }
    return referredTo[identity]
  }

  private func screen(of entry: NodeEntry) -> AnyObject? {
    tree.ask(for: entry)
    return entry.screen
  }

  // MARK: The end of restoring

  func hasDecoded(_ screen: any RestorableScreen) { finishing.append(screen) }

  /// Call this once all screens and objects have decoded. Calls `tell` once for each, with its node if it has one.
  func tellFinished(_ tell: (NodeEntry?, any RestorableScreen) -> Void) {
    let finished = finishing
    finishing = []
    for screen in finished { tell(entry(of: screen), screen) }
  }

  /// Call this once no node is left.
  func removeAll() { (referredTo, finishing) = ([:], []) }
}
