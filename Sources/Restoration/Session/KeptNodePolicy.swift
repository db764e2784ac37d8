/// How long the archive keeps nodes that are not restored.
public struct KeptNodePolicy: Hashable, Sendable {
  /// In how many launches one after the other the factory of a node may fail, or find nothing to restore, before the
  /// node is dropped with all below it; `nil` for ever. A launch counts in which the scene wrote something.
  public var launches: Int?

  /// A policy; five launches if nothing else is said.
  public init(launches: Int? = 5) { self.launches = launches }
}

/// Nodes that are not restored are kept for a later launch, and not for ever: a program whose screens have an ID for
/// each object would carry along every node of an object that is gone.
extension Restoration {
  /// Topmost nodes that their own factories did not restore. What waits for a key, for its kind, or for a version of
  /// the library that can read it, is not among them: it is kept whatever the policy.
  private var missed: [NodeEntry] {
    if !hasSkipped { return [] }
    return reported.filter { entry in
      guard entry.status == .kept, !entry.isOpaque, kinds[entry.kind] != nil else { return false }
      return tree.isRoot(entry) || tree.parent(of: entry)?.status == .live
    }
  }

  /// What the archive is to say of nodes that were not restored: the launches, this one counted, by their order.
  var missedLaunches: [UInt64: Int] {
    var launches: [UInt64: Int] = [:]
    for entry in missed { launches[entry.order] = (missedBefore[entry.order] ?? 0) + 1 }
    // What is late may come in another launch.
    for entry in reported where hasSkipped && entry.status == .waiting {
      launches[entry.order] = missedBefore[entry.order]
    }
    return launches
  }

  /// Takes out of the archive what was not restored for too many launches. Never what has uncommitted edits in a draft,
  /// nor what stands above such.
  func dropMissed() {
    guard let limit = keptNodes.launches, !missedBefore.isEmpty else { return }
    for entry in missed where (missedBefore[entry.order] ?? 0) >= limit {
      let below = tree.subtree(of: entry)
      let hasWork = below.contains { entry in
        entry.isOpaque || entry.context.map { storage.hasUncommittedDraft($0.draft) } ?? false
      }
      if hasWork { continue }
      reportSoFar?.dropped += below.map(\.path)
      close(entry)
    }
  }
}
