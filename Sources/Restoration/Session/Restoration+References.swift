import RepriseSystem

/// References from one screen to another. They say the identity of the node that they lead to, not its path: so they
/// follow a move, and never lead to whoever comes to the former path.
extension Restoration {
  /// What references to a node say: given with the first, and the node's for life.
  func identity(of entry: NodeEntry) -> String {
    if entry.identity.isEmpty {
      // At most 13 digits: no allocation.
      entry.identity = String(RandomWords.next(), radix: 36)
      referredTo[entry.identity] = entry
      entry.isMoved = true
      mark(entry)
    }
    return entry.identity
  }

  /// The screen that a reference leads to, as it stands in the state of `owner`; `nil` if it is not there.
  func screen(referredTo text: String, from owner: NodePath) -> AnyObject? {
    if text.hasPrefix("//") { return referredTo[String(text.dropFirst(2))]?.screen }
    // A path, as references were before there were identities: written anew, before somebody moves.
    guard let screen = tree[NodePath(unchecked: text)]?.screen else { return nil }
    if let entry = tree[owner] { mark(entry) }
    return screen
  }

  func forgetReferences(to entry: NodeEntry) {
    if !entry.identity.isEmpty { referredTo[entry.identity] = nil }
  }
}
