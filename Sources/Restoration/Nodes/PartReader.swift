import RepriseEventStore

/// Reads deferred nodes of an archive on request. Most nodes that are hidden in their container or scene are never
/// requested.
final class PartReader {
  private let parts: any ArchiveParts
  private let nodeCount: Int
  /// How often something was read.
  private var readCount = 0
  // Unowned, because they retain this object.
  private unowned let objects: ObjectRegistry
  private unowned let tree: NodeTree
  private unowned let screens: TwoPhaseScreens
  private unowned let report: ReportBuilder

  init(
    _ parts: any ArchiveParts, of nodeCount: Int, _ objects: ObjectRegistry, _ tree: NodeTree,
    _ screens: TwoPhaseScreens, _ report: ReportBuilder
  ) {
    self.parts = parts
    self.nodeCount = nodeCount
    self.objects = objects
    self.tree = tree
    self.screens = screens
    self.report = report
  }

  /// Reads the roots. From then on, the tree reads the other nodes on request.
  func begin(after lastOrder: UInt64) throws(StoreError) {
    let roots = try entries(of: parts.group("")) { _ in false }
    tree.note(order: lastOrder)
    tree.hold(roots)
    for root in roots { tree.link(root, under: nil) }
    tree.reads(self)
    objects.hasUnreadNodes = true
    // Nodes that are not read may refer to these objects.
    objects.retain(objects.keysWithState)
  }

  /// All records, as they were when the archive was read.
  func records() throws(StoreError) -> SceneNodes { try parts.all().records }

  private func entries(
    of contents: ArchiveContents, unless isKnown: (String) -> Bool
  ) throws(StoreError) -> [NodeEntry] {
    readCount += 1
    let reader = ArchiveReader(objects: objects, tree: tree, screens: screens)
    let entries = reader.entries(contents.records, unless: isKnown).sorted { $0.isBefore($1) }
    for entry in entries { entry.hasUnread = true }
    report.add(entries, damage: contents.damage)
    return entries
  }
}

extension PartReader: UnreadNodes {
  /// Reading one node costs a few times as much as its share of one pass over all nodes.
  var isWorthReadingAll: Bool { readCount > nodeCount / 8 + 64 }

  func all(unless isKnown: (String) -> Bool) throws(StoreError) -> [NodeEntry] {
    try entries(of: parts.all(), unless: isKnown)
  }

  func children(of entry: NodeEntry, unless isKnown: (String) -> Bool) throws(StoreError) -> [NodeEntry] {
    try entries(of: parts.group(ArchiveKey.group(below: entry.path)), unless: isKnown)
  }

  func node(at path: NodePath) throws(StoreError) -> NodeEntry? {
    try entries(of: parts.record(ArchiveKey.node(path))) { _ in false }.first
  }
}
