/// The report under construction: the outcomes of the archive's nodes, and the nodes that stay for another launch.
final class ReportBuilder {
  private var current: RestorationReport?
  /// Whether outcomes have changed since ``current`` was brought up to date.
  private var isStale = false
  /// The nodes of the report.
  private var nodes: [NodeEntry] = []
  /// The number of nodes that a policy dropped unread.
  private var unreadDropped = 0
  /// Whether any node was not restored.
  private var hasSkipped = false
  /// The nodes that launches before this one did not restore, by their order.
  private var missedBefore: [UInt64: MissedNode] = [:]
  private let tree: NodeTree
  private let kinds: KindRegistry
  private let objects: ObjectRegistry
  private let drafts: NodeDrafts

  init(_ tree: NodeTree, _ kinds: KindRegistry, _ objects: ObjectRegistry, _ drafts: NodeDrafts) {
    self.tree = tree
    self.kinds = kinds
    self.objects = objects
    self.drafts = drafts
  }

  func begin(_ start: RestorationReport.Start, _ info: ArchiveInfo?, _ lastExit: ExitReason, damage: [String]) {
    missedBefore = info?.missed ?? [:]
    current = RestorationReport(
      start: start, archive: info, lastExit: lastExit, entries: [], unread: 0, objects: [], orphanedDrafts: [],
      conflictingDrafts: [], dropped: [], damage: damage)
  }

  func list(_ nodes: [NodeEntry]) { self.nodes = nodes }

  /// Lists nodes that were read later.
  func add(_ nodes: [NodeEntry], damage: [String]) {
    self.nodes += nodes
    current?.damage += damage
    isStale = true
  }

  func skipped() { hasSkipped = true }

  /// Lists the nodes under their present paths: before one of them is moved, and when all is done.
  func nameNodes() {
    guard var entries = current?.entries, entries.count < nodes.count else { return }
    current?.entries = []
    entries.reserveCapacity(nodes.count)
    for entry in nodes[entries.count...] {
      let outcome: RestorationReport.Outcome = entry.outcome ?? .unresolved("`restore` did not reach it")
      entries.append(.init(path: entry.path, kind: entry.kind, outcome: outcome))
    }
    current?.entries = entries
  }

  /// Call this when outcomes have changed.
  func update() { isStale = true }

  /// The present report.
  var report: RestorationReport? {
    if isStale { bringUpToDate() }
    return current
  }

  private func bringUpToDate() {
    isStale = false
    let named = current?.entries.count ?? 0
    nameNodes()
    for index in 0..<named {
      guard let outcome = nodes[index].outcome, outcome != current?.entries[index].outcome else { continue }
      current?.entries[index].outcome = outcome
    }
    if tree.hasUnread, let count = current?.archive?.nodeCount {
      current?.unread = max(0, count - nodes.count - unreadDropped)
    }
    current?.objects = objects.entries.values.filter { $0.outcome != nil }.sorted { $0.key < $1.key }
      .map { .init(key: $0.key, outcome: $0.outcome ?? .reused) }
    var (orphaned, conflicting): ([String], [String]) = ([], [])
    for entry in nodes {
      if entry.status == .live {
        if entry.isInConflict, let draft = entry.context?.draft { conflicting.append(draft) }
      } else if entry.isLeft {
        guard let draft = draft(of: entry) else { continue }
        if drafts.hasEdits(draft) { orphaned.append(draft) }
      }
    }
    current?.damage += tree.damage
    tree.damage = []
    current?.orphanedDrafts = orphaned.sorted()
    current?.conflictingDrafts = conflicting.sorted()
  }

  /// The nodes with their own contexts, by draft: nodes that were not restored, and nodes that may still be. Reads
  /// unread nodes.
  func nodesByDraft() -> [String: NodeEntry] {
    tree.readAll()
    var found: [String: NodeEntry] = [:]
    for root in tree.children(of: nil) {
      for entry in tree.subtree(of: root) {
        if let draft = draft(of: entry) { found[draft] = entry }
      }
    }
    return found
  }

  /// The keys of the contexts whose stores have drafts of nodes that were not restored.
  var contextsOfLost: Set<String> {
    if !hasSkipped { return [] }
    return Set(nodes.lazy.filter { $0.isLeft && $0.context != nil }.compactMap(tree.registeredContext))
  }

  /// The draft of a node's own context. For a node that cannot be read, the draft that its first context would have.
  func draft(of entry: NodeEntry) -> String? {
    entry.isOpaque ? drafts.draft(at: entry.path.text) : entry.context?.draft
  }

  /// The title of a node, from its kind.
  func title(of entry: NodeEntry) -> String? {
    guard !entry.isOpaque, let definition = kinds[entry.kind] else { return nil }
    // The state of a live node may have been set since the last write.
    let present = entry.node.flatMap { try? $0.encoded()[...] }
    guard let state = present ?? (try? definition.versions.migrated(entry.state, from: entry.version)),
      let value = try? StateValue(bytes: state)
    else { return nil }
    return definition.title(of: value)
  }

  /// The topmost nodes that were not restored and do not come back by themselves, in tree order, with the time of the
  /// first failure. Reads unread nodes.
  func lost(at time: Int64) -> [(entry: NodeEntry, missed: MissedNode?)] {
    tree.readAll()
    let missed = missed(at: time)
    var found: [(NodeEntry, MissedNode?)] = []
    var stack: [NodeEntry] = []
    tree.pushChildren(of: nil, onto: &stack)
    while let entry = stack.popLast() {
      if entry.isLeft { found.append((entry, missed[entry.order])) }
      if entry.status == .live { tree.pushChildren(of: entry, onto: &stack) }
    }
    return found
  }

  // MARK: Nodes that stay

  // The archive must forget nodes that were not restored. If a program names screens after objects, the archive would
  // keep a node for every deleted object.

  /// The topmost nodes that their own factories did not restore. Nodes in quarantine are not among them, nor nodes that
  /// wait for a key, for their kind, or for a newer version of the library or the program. No policy drops these.
  private var missed: [NodeEntry] {
    if !hasSkipped { return [] }
    return nodes.filter { entry in
      guard entry.status == .kept, !entry.isOpaque, kinds[entry.kind] != nil else { return false }
      if entry.versionError != nil { return false }
      if case .quarantined = entry.outcome { return false }
      return tree.isRoot(entry) || tree.parent(of: entry)?.status == .live
    }
  }

  /// Nodes whose kind has given up states of their version.
  private var givenUp: [NodeEntry] {
    if !hasSkipped { return [] }
    return nodes.filter { if case .givenUp = $0.versionError, $0.status == .kept { true } else { false } }
  }

  /// For the archive: in how many launches nodes were not restored, counting this one, and since when, by their order.
  func missed(at time: Int64) -> [UInt64: MissedNode] {
    var found: [UInt64: MissedNode] = [:]
    if missedBefore.isEmpty && !hasSkipped { return found }
    for entry in missed {
      var node = missedBefore[entry.order] ?? MissedNode()
      node.launches += 1
      if node.since == 0 { node.since = time }
      found[entry.order] = node
    }
    // A late node may arrive in another launch, and a deferred one may be requested.
    for entry in nodes where !missedBefore.isEmpty && (entry.status == .waiting || entry.status == .deferred) {
      found[entry.order] = missedBefore[entry.order]
    }
    if tree.hasUnread, !missedBefore.isEmpty {
      let read = Set(nodes.map(\.order))
      found.merge(missedBefore.filter { !read.contains($0.key) }) { now, _ in now }
    }
    return found
  }

  /// The nodes to drop from the archive, by a policy or because the program no longer reads their states. A node with
  /// unsaved edits in a draft is never dropped, nor a node above it.
  ///
  /// - Parameter time: In microseconds since 1970.
  func dropMissed(_ policy: UnrestoredNodeRetention, at time: Int64) -> [NodeEntry] {
    if let age = policy.age { countAnewAfterAWrongClock(age, at: time) }
    let over = missedBefore.isEmpty ? [] : policy.over(missed, missedBefore, at: time, branch)
    return (over + givenUp).filter { entry in
      let below = tree.subtree(of: entry)
      if hasWork(below) { return false }
      current?.dropped += below.map(\.path)
      return true
    }
  }

  /// If the archive was last written before the age began, a clock may have been wrong, then or in this launch. If a
  /// failure is in the future, a clock was wrong. Such failures count from this launch on.
  private func countAnewAfterAWrongClock(_ age: Duration, at time: Int64) {
    let (pause, overflow) = time.subtractingReportingOverflow(current?.archive?.savedAt ?? time)
    let isLong = overflow || Duration.microseconds(pause) > age
    for (order, node) in missedBefore where isLong || node.since > time { missedBefore[order]?.since = 0 }
  }

  /// Adds unread nodes that a policy dropped.
  func dropped(_ paths: [NodePath], orders: [UInt64]) {
    for order in orders { missedBefore[order] = nil }
    current?.dropped += paths
    unreadDropped += paths.count
    isStale = true
  }

  private func hasWork(_ nodes: [NodeEntry]) -> Bool {
    nodes.contains { node in
      if node.isOpaque { return true }
      guard let context = node.context else { return false }
      return drafts.mayHaveEdits(context.draft, registeredAs: tree.registeredContext(above: node))
    }
  }

  /// The part that a policy counts for a node that was not restored. `nil` if the node stays under any policy.
  private func branch(_ entry: NodeEntry) -> KeptBranch? {
    let below = tree.subtree(of: entry)
    if hasWork(below) { return nil }
    return KeptBranch(entry: entry, count: below.count, byteCount: below.reduce(0) { $0 + $1.state.count })
  }
}

/// A node that was not restored, and all below it.
private struct KeptBranch {
  let entry: NodeEntry
  let count: Int
  let byteCount: Int
}

extension UnrestoredNodeRetention {
  /// The missed nodes beyond a limit.
  fileprivate func over(
    _ missed: [NodeEntry], _ before: [UInt64: MissedNode], at time: Int64, _ branch: (NodeEntry) -> KeptBranch?
  ) -> [NodeEntry] {
    var over: [NodeEntry] = []
    var left: [NodeEntry] = []
    for entry in missed {
      if let node = before[entry.order], isOver(node, at: time) { over.append(entry) } else { left.append(entry) }
    }
    // Only these limits need the nodes below.
    if count == nil && byteCount == nil { return over }
    let branches = left.compactMap(branch)
    var (count, byteCount) = (0, 0)
    for branch in branches { (count, byteCount) = (count + branch.count, byteCount + branch.byteCount) }
    let oldestFirst = branches.filter { before[$0.entry.order] != nil }.sorted { one, other in
      let (first, second) = (before[one.entry.order]?.launches ?? 0, before[other.entry.order]?.launches ?? 0)
      return first != second ? first > second : one.entry.order < other.entry.order
    }
    for branch in oldestFirst where count > self.count ?? .max || byteCount > self.byteCount ?? .max {
      over.append(branch.entry)
      (count, byteCount) = (count - branch.count, byteCount - branch.byteCount)
    }
    return over
  }

  private func isOver(_ missed: MissedNode, at time: Int64) -> Bool {
    if let launches, missed.launches >= launches { return true }
    guard let age, missed.since > 0, time > missed.since else { return false }
    return Duration.microseconds(time - missed.since) > age
  }
}
