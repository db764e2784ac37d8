/// Makes nodes again after the object arrived that a placeholder replaced.
extension NodeBuilder {
  /// A node that was made again.
  struct Replacement {
    let path: NodePath
    let former: AnyObject
    /// `nil` if it could not be made.
    let screen: AnyObject?
  }

  /// The live nodes that depend on the object of a key, also through another registered object, and all live nodes
  /// below them. Parents come first.
  func nodesMade(with key: String) -> [NodeEntry] {
    let keys = objects.objectsMade(with: key).union([key])
    var found: [NodeEntry] = []
    var isFound: Set<ObjectIdentifier> = []
    for root in tree.knownChildren(of: nil) {
      for entry in tree.knownSubtree(of: root) where entry.status == .live {
        let isBelow = tree.parent(of: entry).map { isFound.contains(ObjectIdentifier($0)) } ?? false
        guard isBelow || !keys.isDisjoint(with: entry.needs) else { continue }
        found.append(entry)
        isFound.insert(ObjectIdentifier(entry))
      }
    }
    return found
  }

  /// Makes nodes again, parents first, with their states, their contexts, and the objects that are registered now.
  func makeAgain(_ nodes: [NodeEntry]) -> [Replacement] {
    // The former screens, and the contexts that they retain, are held until all nodes are made.
    let former = nodes.map { ($0, $0.screen) }
    for entry in nodes.reversed() {
      editor.unmake(entry)
      entry.status = .unmade
    }
    scene.breaker.restoringMore {
      for entry in nodes where entry.status == .unmade { try? make(entry) }
      decodeMade()
      tellFinished()
    }
    finishMaking()
    report.update()
    editor.changes.onChange()
    return former.compactMap { entry, screen in
      screen.map { Replacement(path: entry.path, former: $0, screen: entry.screen) }
    }
  }
}
