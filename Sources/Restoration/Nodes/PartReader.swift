import RepriseEventStore

/// Reads nodes of an archive when they are asked for: of containers that show one child, most never are.
@MainActor final class PartReader {
  private let parts: any ArchiveParts
  // They hold this one.
  private unowned let objects: ObjectRegistry
  private unowned let tree: NodeTree
  private unowned let screens: TwoStepScreens
  private unowned let report: ReportBuilder

  init(
    _ parts: any ArchiveParts, _ objects: ObjectRegistry, _ tree: NodeTree, _ screens: TwoStepScreens,
    _ report: ReportBuilder
  ) {
    self.parts = parts
    self.objects = objects
    self.tree = tree
    self.screens = screens
    self.report = report
  }

  /// Takes in the roots. From then on the tree reads what it has not.
  func begin(_ info: ArchiveInfo.Parts) throws(StoreError) {
    let roots = try entries(of: parts.group("")) { _ in false }
    tree.note(order: info.lastOrder)
    tree.hold(roots)
    for root in roots { tree.link(root, under: nil) }
    tree.reads(self)
    // Nodes that are not read may refer to them.
    objects.retain(objects.entries.values.filter { $0.state != nil }.map(\.key))
  }

  private func entries(
    of contents: ArchiveContents, unless isKnown: (String) -> Bool
  ) throws(StoreError) -> [NodeEntry] {
    let reader = ArchiveReader(objects: objects, tree: tree, screens: screens)
    let entries = reader.entries(contents.records, unless: isKnown).sorted { $0.isBefore($1) }
    for entry in entries { entry.hasUnread = true }
    report.add(entries, damage: contents.damage)
    return entries
  }
}

extension PartReader: UnreadNodes {
  func children(of entry: NodeEntry, unless isKnown: (String) -> Bool) throws(StoreError) -> [NodeEntry] {
    try entries(of: parts.group(ArchiveKey.group(below: entry.path)), unless: isKnown)
  }

  func node(at path: NodePath) throws(StoreError) -> NodeEntry? {
    try entries(of: parts.record(ArchiveKey.node(path))) { _ in false }.first
  }
}
