import RepriseEventStore

/// Reads nodes of the archive.
protocol UnreadNodes: AnyObject {
  /// The unknown nodes directly below an entry, in order.
  func children(of entry: NodeEntry, unless isKnown: (String) -> Bool) throws(StoreError) -> [NodeEntry]
  func node(at path: NodePath) throws(StoreError) -> NodeEntry?
  /// Whether so many parts were read that reading the rest at once costs less.
  var isWorthReadingAll: Bool { get }
  /// All unknown nodes, in order.
  func all(unless isKnown: (String) -> Bool) throws(StoreError) -> [NodeEntry]
}

extension NodeTree {
  /// From now on, nodes are read on request.
  func reads(_ unread: any UnreadNodes) { self.unread = unread }

  /// Whether there may be nodes that were not read.
  var hasUnread: Bool { unread != nil && !isReadWhole }

  /// Returns the failure of a read, and clears it. The part counts as absent, and the next request reads it again.
  func takeFailure() -> StoreError? {
    defer { failure = nil }
    return failure
  }

  /// Reports the records that an archive has lost, according to its other records.
  func noteLosses(in records: SceneNodes, _ info: ArchiveInfo, of scene: String) {
    if let known = info.parts?.nodeCount, known > info.nodeCount { noteLoss(of: known - info.nodeCount) }
    // An info that was read has a time.
    if info.savedAt == 0, info.nodeCount > 0, !records.hasInfo {
      damage.append(JournalProblem.sceneInfoMissing(scene: scene).description)
    }
  }

  func noteLoss(of count: Int) {
    damage.append(
      "The archive has lost \(count) of its screens. Open the missing screens again, and see `recoverableDrafts()` for "
        + "their edits.")
  }

  /// Reads everything.
  func readAll() {
    guard let unread, hasUnread else { return }
    index()
    do throws(StoreError) {
      let read = try unread.all { entries[$0] != nil || left.contains($0) }
      isReadWhole = true
      for entry in entries.values { entry.hasUnread = false }
      for entry in read {
        entry.hasUnread = false
        take(entry)
      }
      let fresh = Set(read.map(ObjectIdentifier.init))
      for entry in read { linkInOrder(entry, under: entry.path.parent.flatMap { entries[$0.text] } ?? top) }
      for entry in read {
        guard let parent = entry.parent, !fresh.contains(ObjectIdentifier(parent)) else { continue }
        settle(entry, below: parent)
        for other in knownSubtree(of: entry).dropFirst() { other.parent.map { settle(other, below: $0) } }
      }
      noteLosses()
    } catch {
      failure = error
    }
  }

  func read(_ path: NodePath) -> NodeEntry? {
    guard unread != nil else { return nil }
    var missing = [path]
    var above = path.parent
    while let here = above, entries[here.text] == nil {
      missing.append(here)
      above = here.parent
    }
    // All roots were read.
    guard var entry = above.flatMap({ entries[$0.text] }) else { return nil }
    for path in missing.reversed() {
      guard let child = readChild(path, of: entry) else { return nil }
      entry = child
    }
    return entry
  }

  private func readChild(_ path: NodePath, of parent: NodeEntry) -> NodeEntry? {
    guard let unread, parent.hasUnread, !left.contains(path.text) else { return nil }
    do throws(StoreError) {
      guard let child = try unread.node(at: path) else { return nil }
      take(child, below: parent)
      linkInOrder(child, under: parent)
      return child
    } catch {
      failure = error
      return nil
    }
  }

  func readChildren(of parent: NodeEntry) {
    guard let unread, parent.hasUnread else { return }
    if unread.isWorthReadingAll { return readAll() }
    let known = knownChildren(of: parent)
    let paths = Set(known.map(\.path.text))
    do throws(StoreError) {
      let read = try unread.children(of: parent) { paths.contains($0) || left.contains($0) }
      parent.hasUnread = false
      for child in read { take(child, below: parent) }
      for child in known { unlink(child) }
      for child in (known + read).sorted(by: { $0.isBefore($1) }) { append(child, to: parent) }
    } catch {
      failure = error
    }
  }

  private func take(_ entry: NodeEntry, below parent: NodeEntry) {
    index()
    take(entry)
    settle(entry, below: parent)
  }

  private func settle(_ entry: NodeEntry, below parent: NodeEntry) {
    if parent === top {
      // All roots were read before.
      entry.status = .kept
      entry.outcome = entry.outcome ?? entry.outcomeOfOrphan
      return
    }
    switch parent.status {
    case .kept, .waiting:
      entry.status = .kept
      entry.outcome = entry.outcome ?? parent.outcomeBelow
    default:
      entry.status = entry.isOpaque ? .kept : .deferred
      entry.outcome = entry.outcome ?? .deferred
    }
  }

  private func linkInOrder(_ entry: NodeEntry, under parent: NodeEntry) {
    var next: NodeEntry?
    while let before = next.map(\.previous) ?? parent.lastChild, entry.isBefore(before) { next = before }
    if let next { link(entry, before: next) } else { append(entry, to: parent) }
  }
}

extension SceneNodes {
  /// Whether there is a record of the scene itself, readable or not.
  fileprivate var hasInfo: Bool {
    buffer.withUnsafeBytes { all in
      nodes.contains { ArchiveKey.isInfo(UnsafeRawBufferPointer(rebasing: all[$0.key])) }
    }
  }
}
