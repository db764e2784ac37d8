import RepriseEventStore

/// Finds the unread nodes that a policy drops.
struct UnreadSweep {
  /// A node that was not read and stands below one that was, with all below it.
  struct Branch {
    var paths: [NodePath] = []
    var orders: [UInt64] = []
    var byteCount = 0
    /// The largest order in the branch: the order of the node that was used last.
    var lastUse: UInt64 = 0
    /// Whether the branch stays under any policy.
    var stays = false
  }

  let tree: NodeTree
  let drafts: NodeDrafts

  /// The branches beyond a limit.
  ///
  /// - Parameter unused: The largest order that is too old. `nil` if none is.
  func over(_ policy: DeferredNodeRetention, _ records: SceneNodes, unused: UInt64?) -> [Branch] {
    var over: [Branch] = []
    var left: [Branch] = []
    for branch in branches(records) where !branch.stays {
      if let unused, branch.lastUse <= unused { over.append(branch) } else { left.append(branch) }
    }
    if policy.count == nil && policy.byteCount == nil { return over }
    var (count, byteCount) = (0, 0)
    for branch in left { (count, byteCount) = (count + branch.paths.count, byteCount + branch.byteCount) }
    for branch in left.sorted(by: { $0.lastUse < $1.lastUse }) {
      guard count > policy.count ?? .max || byteCount > policy.byteCount ?? .max else { break }
      over.append(branch)
      (count, byteCount) = (count - branch.paths.count, byteCount - branch.byteCount)
    }
    return over
  }

  private func branches(_ records: SceneNodes) -> [Branch] {
    tree.index()
    var unread: [String: ArchiveFields] = [:]
    var unreadable: [String] = []
    return records.buffer.withUnsafeBytes { all in
      for node in records.nodes {
        let key = UnsafeRawBufferPointer(rebasing: all[node.key])
        guard ArchiveKey.isNode(key) else { continue }
        var fields = ArchiveFields()
        do throws(ArchiveRecordError) {
          try fields.read(UnsafeRawBufferPointer(rebasing: all[node.bytes]), key: key)
        } catch {
          unreadable.append(String(decoding: key, as: UTF8.self))
          continue
        }
        let path = String(decoding: fields.name, as: UTF8.self)
        if tree.entries[path] == nil, !tree.left.contains(path) { unread[path] = fields }
      }
      var found: [String: Branch] = [:]
      for (path, fields) in unread {
        let path = NodePath(unchecked: path)
        guard let root = root(of: path, unread) else { continue }
        let hasWork = fields.context.map {
          drafts.mayHaveEdits($0.draft, registeredAs: registeredContext(of: $0, at: path, unread))
        }
        found[root.text, default: Branch()].add(path, fields, hasWork: hasWork)
      }
      // An unreadable node may need the nodes above it.
      for path in unreadable { root(of: NodePath(unchecked: path), unread).map { found[$0.text]?.stays = true } }
      return found.values.sorted { $0.lastUse < $1.lastUse }
    }
  }

  /// As ``NodeTree/registeredContext(above:)``, of a node that was not read.
  private func registeredContext(
    of context: ArchiveRecord.OwnContext, at path: NodePath, _ unread: [String: ArchiveFields]
  ) -> String? {
    var (parent, path) = (context.parent, path.text)
    while case .node(let above) = parent {
      guard path.hasPrefix(above + "/") else { return nil }
      if let entry = tree.entries[above] { return tree.registeredContext(above: entry) }
      guard let next = unread[above]?.context else { return nil }
      (parent, path) = (next.parent, above)
    }
    if case .registered(let key) = parent { return key }
    return nil
  }

  /// The topmost unread node above an unread node, or the node itself. `nil` if the parent of that node is not listed.
  private func root(of path: NodePath, _ unread: [String: ArchiveFields]) -> NodePath? {
    var root = path
    while let above = root.parent {
      if unread[above.text] == nil {
        guard let entry = tree.entries[above.text], entry.isListed else { return nil }
        return root
      }
      root = above
    }
    return nil
  }
}

extension UnreadSweep.Branch {
  fileprivate mutating func add(_ path: NodePath, _ fields: ArchiveFields, hasWork: Bool?) {
    paths.append(path)
    orders.append(fields.order)
    byteCount += fields.stateCount
    lastUse = max(lastUse, fields.order)
    if hasWork == true { stays = true }
  }
}
