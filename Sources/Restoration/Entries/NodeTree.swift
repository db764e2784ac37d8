import RepriseEventStore

/// The nodes by path, and the order of siblings: the order in which they were made or moved there.
///
/// The tree owns the entries. The links between entries do not retain them. Nothing here recurses, so depth costs no
/// stack.
final class NodeTree {
  /// The nodes by the text of their path. A dictionary with one more type of key would cost each start more than a few
  /// look-ups.
  var entries: [String: NodeEntry] = [:]
  /// The nodes of the archive, until a caller looks up a path. Restoring needs no look-up.
  private var unindexed: [NodeEntry] = []
  /// If a forged archive has one path twice, the node that a look-up does not find.
  private var shadowed: [NodeEntry] = []
  /// The parent of the roots. It is not a node.
  let top = NodeEntry(path: NodePath(unchecked: ""), kind: "", order: 0, site: .archive)
  /// The largest order of a node so far.
  private var order: UInt64 = 0
  /// How many nodes the archive has.
  var storedCount = 0
  /// The number of nodes that do not show all their children, including the scene itself.
  private var selectionCount = 0

  /// Reads deferred nodes. `nil` if there are none.
  var unread: (any UnreadNodes)?
  /// The paths that nodes have left. Records that are read there are outdated.
  var left: Set<String> = []
  /// Whether the archive was read in parts, and all parts were read.
  var isReadWhole = false
  var failure: StoreError?
  /// The contradictions in the archive, one sentence each.
  var damage: [String] = []
  /// The times when nodes were used. Empty unless a policy needs them.
  private(set) var marks: [OrderMark] = []

  /// Makes a node that was deferred.
  var make: (NodeEntry) -> Void = { _ in }

  /// Makes a node if it is deferred, because something needs it to be live.
  func ask(for entry: NodeEntry) { if entry.status == .deferred { make(entry) } }

  subscript(path: NodePath) -> NodeEntry? {
    index()
    return entries[path.text] ?? read(path)
  }

  func index() {
    if unindexed.isEmpty { return }
    entries.reserveCapacity(entries.count + unindexed.count)
    for entry in unindexed { take(entry) }
    unindexed = []
  }

  /// Takes in an entry of the archive, by its path.
  func take(_ entry: NodeEntry) {
    if let other = entries.updateValue(entry, forKey: entry.path.text) { shadowed.append(other) }
  }

  /// Adds the entries of an archive. Then ``link(_:under:)`` gives each its place.
  func hold(_ found: [NodeEntry]) { unindexed += found }

  /// Takes an entry in, without a place in the order yet.
  func hold(_ entry: NodeEntry) {
    index()
    entries[entry.path.text] = entry
  }

  /// Gives an entry its place, as the last child of its parent, or as the last root if the parent is missing.
  func link(_ entry: NodeEntry) {
    guard let path = entry.path.parent, let parent = self[path] else { return append(entry, to: top) }
    append(entry, to: parent)
  }

  func link(_ entry: NodeEntry, under parent: NodeEntry?) { append(entry, to: parent ?? top) }

  func insert(_ entry: NodeEntry) {
    hold(entry)
    link(entry)
  }

  func isRoot(_ entry: NodeEntry) -> Bool { entry.parent === top }

  /// The node above, if the tree has it.
  func parent(of entry: NodeEntry) -> NodeEntry? { entry.parent === top ? nil : entry.parent }

  func children(of entry: NodeEntry?) -> [NodeEntry] {
    if let entry { readChildren(of: entry) }
    return knownChildren(of: entry)
  }

  /// The children that were read, or opened.
  func knownChildren(of entry: NodeEntry?) -> [NodeEntry] {
    var found: [NodeEntry] = []
    var child = (entry ?? top).firstChild
    while let here = child {
      found.append(here)
      child = here.next
    }
    return found
  }

  func child(_ id: String, of entry: NodeEntry) -> NodeEntry? {
    let path = NodePath(stored: entry === top ? id : entry.path.text + "/" + id)
    return path.flatMap { self[$0] }.flatMap { $0.parent === entry ? $0 : nil }
  }

  /// The children of an entry, of the root for `nil`, the last one first.
  func pushChildren(of entry: NodeEntry?, onto stack: inout [NodeEntry]) {
    if let entry { readChildren(of: entry) }
    var child = (entry ?? top).lastChild
    while let here = child {
      stack.append(here)
      child = here.previous
    }
  }

  /// An entry and all below it, parents before their children.
  func subtree(of entry: NodeEntry) -> [NodeEntry] {
    var found = [entry]
    var index = 0
    while index < found.count {
      found += children(of: found[index])
      index += 1
    }
    return found
  }

  /// The part of the subtree that was read or opened.
  func knownSubtree(of entry: NodeEntry) -> [NodeEntry] {
    var found = [entry]
    var index = 0
    while index < found.count {
      found += knownChildren(of: found[index])
      index += 1
    }
    return found
  }

  /// The nodes above an entry, nearest first.
  func ancestors(of entry: NodeEntry) -> [NodeEntry] {
    var found: [NodeEntry] = []
    var here = parent(of: entry)
    while let entry = here {
      found.append(entry)
      here = parent(of: entry)
    }
    return found
  }

  /// Whether an entry is one of `others`, or below one of them.
  func isAmong(_ others: [NodeEntry], _ entry: NodeEntry) -> Bool {
    if others.isEmpty { return false }
    return ([entry] + ancestors(of: entry)).contains { above in others.contains { $0 === above } }
  }

  /// The key of the registered context whose store has a node's draft. `nil` if the archive does not name it.
  func registeredContext(above entry: NodeEntry) -> String? {
    var (here, path) = (entry.context, entry.path)
    while case .node(let above)? = here?.parent {
      // Only a forged archive has another path here. It could lead in a circle.
      guard path.text.hasPrefix(above + "/"), let next = self[NodePath(unchecked: above)] else { return nil }
      (here, path) = (next.context, next.path)
    }
    if case .registered(let key)? = here?.parent { return key }
    return nil
  }

  /// Removes an entry. The nodes below it then have no parent.
  func remove(_ entry: NodeEntry) {
    index()
    unlink(entry)
    while let child = entry.firstChild { unlink(child) }
    if unread != nil, entry.isStored { left.insert(entry.path.text) }
    if !entry.selection.isEmpty { selectionCount -= 1 }
    if entries[entry.path.text] === entry { entries[entry.path.text] = nil }
  }

  /// Gives an entry another path.
  func rename(_ entry: NodeEntry, to path: NodePath) {
    index()
    if unread != nil, entry.isStored { left.insert(entry.path.text) }
    if entries[entry.path.text] === entry { entries[entry.path.text] = nil }
    entry.path = path
    entries[path.text] = entry
  }

  func append(_ entry: NodeEntry, to parent: NodeEntry) {
    entry.parent = parent
    entry.previous = parent.lastChild
    entry.next = nil
    if let last = parent.lastChild { last.next = entry } else { parent.firstChild = entry }
    parent.lastChild = entry
  }

  /// Gives an entry that has no place its place before a sibling.
  func link(_ entry: NodeEntry, before next: NodeEntry) {
    entry.parent = next.parent
    entry.previous = next.previous
    entry.next = next
    if let previous = next.previous { previous.next = entry } else { next.parent?.firstChild = entry }
    next.previous = entry
  }

  func unlink(_ entry: NodeEntry) {
    if let previous = entry.previous { previous.next = entry.next } else { entry.parent?.firstChild = entry.next }
    if let next = entry.next { next.previous = entry.previous } else { entry.parent?.lastChild = entry.previous }
    entry.parent = nil
    entry.previous = nil
    entry.next = nil
  }

  /// Lets go of all nodes.
  func removeAll() {
    let gone = (entries, unindexed, shadowed)
    for entry in gone.0.values { cut(entry) }
    for entry in gone.1 + gone.2 { cut(entry) }
    cut(top)
    (entries, unindexed, shadowed, unread, left) = ([:], [], [], nil, [])
    withExtendedLifetime(gone) {}
  }

  private func cut(_ entry: NodeEntry) {
    (entry.parent, entry.firstChild, entry.lastChild, entry.previous, entry.next) = (nil, nil, nil, nil, nil)
  }

  /// Reports the nodes that the archive counts, but does not have. Call it once all nodes are read.
  func noteLosses() {
    var present = shadowed.count(where: \.isStored)
    for entry in entries.values {
      var here: NodeEntry? = entry
      while let entry = here {
        if entry.isStored { present += 1 }
        here = entry.displaced
      }
    }
    guard storedCount > present else { return }
    noteLoss(of: storedCount - present)
    storedCount = present
  }

  // MARK: Orders

  /// An order after the places of all nodes, unless a forged archive has the largest possible order.
  func nextOrder() -> UInt64 {
    if order < .max { order += 1 }
    return order
  }

  /// Takes note of the order of a node of the archive, and of its selection.
  func note(_ entry: NodeEntry) {
    if !entry.selection.isEmpty { selectionCount += 1 }
    if !entry.isOpaque { note(order: max(entry.order, SiblingKey.order(of: entry.siblingKey))) }
  }

  func note(order: UInt64) { self.order = max(self.order, order) }

  // MARK: Use

  /// Takes over the marks of the archive, and marks the present if a mark is due.
  ///
  /// - Returns: Whether a mark was due.
  func mark(_ known: [OrderMark], at time: Int64, age: Int64?) -> Bool {
    marks = known
    return marks.mark(order, at: time, age: age)
  }

  /// Records that a node is used. If the node was not used since the last mark, it gets the next order, and keeps its
  /// place by a key.
  ///
  /// - Returns: Whether the node got another order.
  func use(_ entry: NodeEntry) -> Bool {
    guard let last = marks.last, entry.isStored, entry.order <= last.order else { return false }
    entry.place = entry.siblingKey
    entry.order = nextOrder()
    return true
  }

  // MARK: Selections

  /// The facts that the archive records so that a launch can leave nodes unread. `nil` if all nodes are read and
  /// visible.
  var parts: ArchiveInfo.Parts? {
    guard hasUnread || selectionCount > 0 else { return nil }
    return ArchiveInfo.Parts(nodeCount: storedCount, lastOrder: order, selection: top.selection, marks: marks)
  }

  func select(_ selection: String, in entry: NodeEntry) {
    if entry.selection.isEmpty != selection.isEmpty { selectionCount += selection.isEmpty ? -1 : 1 }
    entry.selection = selection
  }

  /// The visible children of a node, without those that do not exist. Empty if all are visible.
  func selected(of entry: NodeEntry) -> [NodeEntry] {
    entry.selection.isEmpty ? [] : Selection.ids(entry.selection).compactMap { child($0, of: entry) }
  }
}
