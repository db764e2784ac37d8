/// The report under construction: what became of the archive's nodes, and which of them are kept for another launch.
@MainActor final class ReportBuilder {
  private(set) var report: RestorationReport?
  /// The nodes of the report.
  private var nodes: [NodeEntry] = []
  /// Whether any node was not restored.
  private var hasSkipped = false
  /// In how many launches before this one a node was not restored, by the node's order.
  private var missedBefore: [UInt64: Int] = [:]
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

  func begin(_ start: RestorationReport.Start, _ info: ArchiveInfo?, _ lastExit: LastExit, damage: [String]) {
    missedBefore = info?.missedLaunches ?? [:]
    report = RestorationReport(
      start: start, archive: info, lastExit: lastExit, entries: [], objects: [], orphanedDrafts: [], dropped: [],
      damage: damage)
  }

  func list(_ nodes: [NodeEntry]) { self.nodes = nodes }

  func skipped() { hasSkipped = true }

  /// Lists the nodes under their present paths: before one of them is moved, and when all is done.
  func nameNodes() {
    guard report?.entries.count != nodes.count else { return }
    var entries: [RestorationReport.Entry] = []
    entries.reserveCapacity(nodes.count)
    for entry in nodes {
      let outcome: RestorationReport.Outcome = entry.outcome ?? .unresolved("it was not reached")
      entries.append(.init(path: entry.path, kind: entry.kind, outcome: outcome))
    }
    report?.entries = entries
  }

  func update() {
    nameNodes()
    for index in nodes.indices {
      guard let outcome = nodes[index].outcome, outcome != report?.entries[index].outcome else { continue }
      report?.entries[index].outcome = outcome
    }
    report?.objects = objects.entries.values.filter { $0.outcome != nil }.sorted { $0.key < $1.key }
      .map { .init(key: $0.key, outcome: $0.outcome ?? .reused) }
    var orphaned: [String] = []
    for entry in nodes where entry.isLeft {
      guard let draft = entry.isOpaque ? drafts.draft(at: entry.path.text) : entry.context?.draft else { continue }
      if drafts.hasEdits(draft) { orphaned.append(draft) }
    }
    report?.orphanedDrafts = orphaned.sorted()
  }

  // MARK: Nodes that are kept

  // Not for ever: a program that names screens after objects would carry along a node for every object that is gone.

  /// Topmost nodes that their own factories did not restore. What waits for a key, for its kind, or for a version of
  /// the library or the program that can read it, is not among them, nor what is in quarantine: it is kept whatever the
  /// policy.
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

  /// For the archive: in how many launches nodes were not restored, counting this one, by their order.
  var missedLaunches: [UInt64: Int] {
    var launches: [UInt64: Int] = [:]
    for entry in missed { launches[entry.order] = (missedBefore[entry.order] ?? 0) + 1 }
    // What is late may come in another launch, and what is deferred may be asked for.
    for entry in nodes where !missedBefore.isEmpty && (entry.status == .waiting || entry.status == .deferred) {
      launches[entry.order] = missedBefore[entry.order]
    }
    return launches
  }

  /// What is to be dropped from the archive, as it was not restored in too many launches, or was given up. Never what
  /// has uncommitted edits in a draft, nor what stands above such.
  func dropMissed(_ policy: KeptNodePolicy) -> [NodeEntry] {
    let isOver: (NodeEntry) -> Bool = { [missedBefore] entry in
      policy.launches.map { (missedBefore[entry.order] ?? 0) >= $0 } ?? false
    }
    let over = missedBefore.isEmpty ? [] : missed.filter(isOver)
    return (over + givenUp).filter { entry in
      let below = tree.subtree(of: entry)
      let hasWork = below.contains { $0.isOpaque || $0.context.map { drafts.hasEdits($0.draft) } ?? false }
      if !hasWork { report?.dropped += below.map(\.path) }
      return !hasWork
    }
  }
}
