/// The place of a node, and of all nodes below it, before a move. If the handover is undone, the nodes return there.
struct NodeMove {
  let entry: NodeEntry
  fileprivate let parent: NodeEntry?
  fileprivate let next: NodeEntry?
  fileprivate let order: UInt64
  fileprivate let place: [UInt8]
  fileprivate let nodes: [Node]

  fileprivate struct Node {
    let entry: NodeEntry
    let path: NodePath
    let context: ArchiveRecord.OwnContext?
    let isRearranged: Bool
    let record: NodeEntry.RecordPlace
  }

  /// - Parameter moved: The node and all below it, parents first.
  init(of entry: NodeEntry, _ moved: [NodeEntry]) {
    self.entry = entry
    (parent, next) = (entry.parent, entry.next)
    (order, place) = (entry.order, entry.place)
    nodes = moved.map {
      Node(entry: $0, path: $0.path, context: $0.context, isRearranged: $0.isRearranged, record: $0.recordPlace)
    }
  }

  /// The node and the nodes below it that are still in the tree, each with its former path and the former place of its
  /// record.
  var former: [(entry: NodeEntry, path: NodePath, record: NodeEntry.RecordPlace)] {
    nodes.filter { $0.entry.status != .closed }.map { ($0.entry, $0.path, $0.record) }
  }
}

extension NodeTree {
  /// Puts a node back among its former siblings. The paths are back already.
  func putBack(_ move: NodeMove) {
    let entry = move.entry
    unlink(entry)
    (entry.order, entry.place) = (move.order, move.place)
    for node in move.nodes where node.entry.status != .closed {
      node.entry.context = node.context
      node.entry.isRearranged = node.isRearranged
    }
    // If its parent is closed, the node becomes one of the archived nodes without a parent.
    guard let parent = move.parent, parent.status != .closed else { return append(entry, to: top) }
    if let next = move.next, next.parent === parent { link(entry, before: next) } else { append(entry, to: parent) }
  }
}
