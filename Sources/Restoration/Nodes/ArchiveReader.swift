import RepriseEventStore

/// Reads an archive: objects into the registry, nodes into the tree.
struct ArchiveReader {
  let objects: ObjectRegistry
  let tree: NodeTree
  let screens: TwoPhaseScreens

  /// - Returns: The nodes in the order of their making.
  func read(_ records: SceneNodes) -> [NodeEntry] {
    var found: [NodeEntry] = []
    found.reserveCapacity(records.nodes.count)
    // The number of the record above each entry found, and the place of each record's entry.
    var above: [Int] = []
    above.reserveCapacity(records.nodes.count)
    var places = [Int](repeating: -1, count: records.nodes.count)
    var parents = Parents(records)
    records.buffer.withUnsafeBytes { all in
      var kind = ""
      for number in Self.inOrder(records, all) {
        guard let entry = entry(records.nodes[number], of: records.buffer, all, &kind) else { continue }
        places[number] = found.count
        above.append(parents.number(above: entry, number) ?? -1)
        found.append(entry)
      }
    }
    tree.hold(found)
    var ordered: [NodeEntry] = []
    ordered.reserveCapacity(found.count)
    for place in Self.inOrder(found) {
      let entry = found[place]
      let parent = above[place] < 0 ? -1 : places[above[place]]
      tree.link(entry, under: parent < 0 ? nil : found[parent])
      tree.note(entry)
      if !entry.needs.isEmpty { objects.retain(entry.needs) }
      ordered.append(entry)
    }
    return ordered
  }

  /// The nodes of some records without a place in the tree, except nodes whose path is known.
  func entries(_ records: SceneNodes, unless isKnown: (String) -> Bool) -> [NodeEntry] {
    var found: [NodeEntry] = []
    records.buffer.withUnsafeBytes { all in
      var kind = ""
      for node in records.nodes {
        if isKnown(String(decoding: UnsafeRawBufferPointer(rebasing: all[node.key]), as: UTF8.self)) { continue }
        guard let entry = entry(node, of: records.buffer, all, &kind) else { continue }
        tree.note(entry)
        if !entry.needs.isEmpty { objects.retain(entry.needs) }
        found.append(entry)
      }
    }
    return found
  }

  /// The entry of a node's record. `nil` for any other record, which is read here.
  ///
  /// - Parameter kind: The last record's: most have the same, and need no new `String`.
  private func entry(
    _ node: SceneNodes.Node, of buffer: [UInt8], _ all: UnsafeRawBufferPointer, _ kind: inout String
  ) -> NodeEntry? {
    let key = UnsafeRawBufferPointer(rebasing: all[node.key])
    if ArchiveKey.isInfo(key) { return nil }
    do throws(ArchiveRecordError) {
      var fields = ArchiveFields()
      try fields.read(UnsafeRawBufferPointer(rebasing: all[node.bytes]), key: key)
      let state = buffer[(node.bytes.upperBound - fields.stateCount)..<node.bytes.upperBound]
      let name = String(decoding: fields.name, as: UTF8.self)
      if fields.isObject {
        let entry = objects.entry(name)
        entry.state = state
        entry.stamp = fields.order
        entry.version = fields.version
        entry.isStored = true
        objects.changeNeeds(of: entry, to: fields.needs)
        return nil
      }
      fields.nameKind(&kind)
      let entry = NodeEntry(path: NodePath(unchecked: name), kind: kind, order: fields.order, state: state)
      entry.version = fields.version
      if !fields.needs.isEmpty { entry.needs = fields.needs }
      if let context = fields.context { entry.context = context }
      if !fields.place.isEmpty { entry.place = fields.place }
      if !fields.selection.isEmpty { entry.selection = fields.selection }
      if !fields.identity.isEmpty {
        entry.identity = fields.identity
        screens.hold(entry)
      }
      return entry
    } catch {
      return NodeEntry(unreadable: key, error)
    }
  }

  /// The numbers of records. Records of nodes come in the order of their making, as far as unchecked records allow.
  /// Entries that are made in sequence are neighbours in memory, and a later walk through the tree profits from that.
  private static func inOrder(_ records: SceneNodes, _ all: UnsafeRawBufferPointer) -> [Int] {
    var others: [Int] = []
    var nodes: [Int] = []
    var orders: [UInt64] = []
    nodes.reserveCapacity(records.nodes.count)
    orders.reserveCapacity(records.nodes.count)
    for (number, node) in records.nodes.enumerated() {
      let key = UnsafeRawBufferPointer(rebasing: all[node.key])
      let bytes = UnsafeRawBufferPointer(rebasing: all[node.bytes])
      if ArchiveKey.isNode(key), let order = ArchiveFields.order(bytes) {
        nodes.append(number)
        orders.append(order)
      } else {
        others.append(number)
      }
    }
    if !isAscending(orders) {
      let places = inSlots(orders) ?? orders.indices.sorted { orders[$0] < orders[$1] }
      nodes = places.map { nodes[$0] }
    }
    return others.isEmpty ? nodes : others + nodes
  }

  /// The places of entries in the order of their making.
  private static func inOrder(_ entries: [NodeEntry]) -> [Int] {
    // Indices are sorted: moving entries would count references.
    if entries.contains(where: { !$0.place.isEmpty }) {
      return entries.indices.sorted { entries[$0].isBefore(entries[$1]) }
    }
    let orders = entries.map(\.order)
    if isAscending(orders) { return Array(orders.indices) }
    return orders.indices.sorted {
      orders[$0] != orders[$1] ? orders[$0] < orders[$1] : entries[$0].isBefore(entries[$1])
    }
  }

  private static func isAscending(_ orders: [UInt64]) -> Bool {
    orders.indices.dropFirst().allSatisfy { orders[$0 - 1] < orders[$0] }
  }

  /// The places of numbers in ascending order, without comparisons, because most numbers are consecutive. `nil` if most
  /// numbers are missing, or two nodes have the same.
  private static func inSlots(_ orders: [UInt64]) -> [Int]? {
    guard let first = orders.min(), let last = orders.max(), last - first < UInt64(orders.count) * 8 else { return nil }
    var slots = [Int](repeating: -1, count: Int(last - first) + 1)
    for (place, order) in orders.enumerated() {
      let slot = Int(order - first)
      if slots[slot] >= 0 { return nil }
      slots[slot] = place
    }
    return slots.filter { $0 >= 0 }
  }
}

/// Finds the records of parents by their keys. Children of one container mostly come in sequence, so the container is
/// looked up once for all of them.
private struct Parents {
  private var records: SceneNodes
  /// The key of the parent asked for last, in the buffer, and its number.
  private var last: (key: Range<Int>, number: Int?) = (0..<0, nil)

  init(_ records: SceneNodes) { self.records = records }

  /// The number of the record of the node above. `nil` if the archive has none.
  mutating func number(above entry: NodeEntry, _ number: Int) -> Int? {
    if let above = find(records.nodes[number].key) { return above }
    // A hashed key does not show the parent.
    guard entry.path.text.utf8.count > ArchiveKey.longest, let path = entry.path.parent else { return nil }
    records.index()
    return records.number(of: ArchiveKey.node(path))
  }

  /// The record whose key is this one's up to its last slash. `nil` if there is none.
  private mutating func find(_ key: Range<Int>) -> Int? {
    records.index()
    return records.buffer.withUnsafeBytes { all in
      let bytes = UnsafeRawBufferPointer(rebasing: all[key])
      guard !ArchiveKey.isHashed(bytes), let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
      let above = UnsafeRawBufferPointer(rebasing: bytes[..<slash])
      if slash == last.key.count, above.elementsEqual(all[last.key]) { return last.number }
      last = (key.lowerBound..<key.lowerBound + slash, records.number(of: above))
      return last.number
    }
  }
}
