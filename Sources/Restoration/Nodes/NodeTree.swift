/// The nodes by path, and their order: roots and children by the order of their making.
///
/// It owns the entries; links between them are not owning. Nothing here recurses, so that depth costs no stack.
@MainActor struct NodeTree {
  /// By the text of the path: to prove at each start that one more type is hashable costs more than a few look-ups.
  private(set) var entries: [String: NodeEntry] = [:]
  private let top = NodeEntry(path: NodePath(unchecked: ""), kind: "", order: 0, site: .archive)

  subscript(path: NodePath) -> NodeEntry? { entries[path.text] }
  var isEmpty: Bool { entries.isEmpty }

  mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Takes an entry in, without a place in the order yet.
  mutating func hold(_ entry: NodeEntry) { entries[entry.path.text] = entry }

  /// Gives an entry its place, as the last child of its parent; of the root if the parent is missing.
  func link(_ entry: NodeEntry) { append(entry, to: entry.path.parent.flatMap { entries[$0.text] } ?? top) }

  mutating func insert(_ entry: NodeEntry) {
    hold(entry)
    link(entry)
  }

  func isRoot(_ entry: NodeEntry) -> Bool { entry.parent === top }

  /// The node above, if the tree has it.
  func parent(of entry: NodeEntry) -> NodeEntry? { entry.parent === top ? nil : entry.parent }

  func children(of entry: NodeEntry?) -> [NodeEntry] {
    var found: [NodeEntry] = []
    var child = (entry ?? top).firstChild
    while let here = child {
      found.append(here)
      child = here.next
    }
    return found
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

  /// Takes an entry out; what is below it stays linked to it.
  mutating func remove(_ entry: NodeEntry) {
    unlink(entry)
    if entries[entry.path.text] === entry { entries[entry.path.text] = nil }
  }

  /// Gives an entry another path.
  mutating func rename(_ entry: NodeEntry, to path: NodePath) {
    if entries[entry.path.text] === entry { entries[entry.path.text] = nil }
    entry.path = path
    entries[path.text] = entry
  }

  private func append(_ entry: NodeEntry, to parent: NodeEntry) {
    entry.parent = parent
    entry.previous = parent.lastChild
    entry.next = nil
    if let last = parent.lastChild { last.next = entry } else { parent.firstChild = entry }
    parent.lastChild = entry
  }

  func unlink(_ entry: NodeEntry) {
    if let previous = entry.previous { previous.next = entry.next } else { entry.parent?.firstChild = entry.next }
    if let next = entry.next { next.previous = entry.previous } else { entry.parent?.lastChild = entry.previous }
    entry.parent = nil
    entry.previous = nil
    entry.next = nil
  }
}
