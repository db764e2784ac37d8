import RepriseEventStore

/// Taking in what an archive has.
extension Restoration {
  /// Objects by key; nodes into the tree, in the order in which they were made.
  func read(_ records: SceneNodes) {
    var found: [NodeEntry] = []
    found.reserveCapacity(records.count)
    // The number of each one's record, and by that number its place among those found.
    var numbers: [Int] = []
    numbers.reserveCapacity(records.count)
    var places = [Int](repeating: -1, count: records.numbers.count)
    for number in records.numbers {
      guard let entry = entry(number, of: records) else { continue }
      places[number] = found.count
      numbers.append(number)
      found.append(entry)
    }
    tree.hold(found)
    reported.reserveCapacity(found.count)
    var entries: [RestorationReport.Entry] = []
    entries.reserveCapacity(found.count)
    for place in Self.inOrder(found) {
      let entry = found[place]
      let above = Self.above(entry, numbers[place], in: records)
      let parent = above.map { places[$0] } ?? -1
      tree.link(entry, under: parent < 0 ? nil : found[parent])
      if !entry.isOpaque { order = max(order, entry.order) }
      retain(entry.needs)
      reported.append(entry)
      entries.append(.init(path: entry.path, kind: entry.kind, outcome: .unresolved("it was not reached")))
    }
    reportSoFar?.entries = entries
  }

  /// The node of a record; `nil` if it is another kind of record, which is taken in, or gone.
  private func entry(_ number: Int, of records: SceneNodes) -> NodeEntry? {
    do throws(ArchiveRecordError) {
      guard let record = try ArchiveRecord(number, of: records) else { return nil }
      if !record.isObject { return NodeEntry(record) }
      let entry = object(record.name)
      entry.state = record.state
      entry.isStored = true
      changeNeeds(of: entry, to: record.needs)
      return nil
    } catch {
      let key = records.read(number) { key, _ in String(decoding: key, as: UTF8.self) } ?? ""
      let entry = NodeEntry(path: NodePath(unchecked: key), kind: "", order: .max, site: .archive)
      entry.isStored = true
      entry.isOpaque = true
      if case .newerFormat = error {
        entry.outcome = .failed(reason: error.reason)
      } else {
        entry.outcome = .corrupt(reason: error.reason)
      }
      return entry
    }
  }

  /// The places of entries, in the order in which they were made: that of a journal, mostly, and not that of the table.
  private static func inOrder(_ entries: [NodeEntry]) -> [Int] {
    struct Place {
      let order: UInt64
      let index: Int
    }
    let isInOrder = entries.indices.dropFirst().allSatisfy { entries[$0 - 1].order < entries[$0].order }
    if isInOrder { return Array(entries.indices) }
    // Numbers: to move entries about costs their reference counts.
    let places = entries.indices.map { Place(order: entries[$0].order, index: $0) }
    return places.sorted { left, right in
      left.order != right.order
        ? left.order < right.order : entries[left.index].path < entries[right.index].path
    }.map(\.index)
  }

  /// The number of the record of the node above; `nil` if the archive has none.
  private static func above(_ entry: NodeEntry, _ number: Int, in records: SceneNodes) -> Int? {
    if let above = records.numberAbove(number) { return above }
    // A key that is a hash does not tell.
    guard entry.path.text.utf8.count > ArchiveKey.longest, let path = entry.path.parent else { return nil }
    return records.number(of: ArchiveKey.node(path))
  }
}

extension SceneNodes {
  /// The node whose key is this one's up to its last slash; `nil` if there is none.
  fileprivate func numberAbove(_ number: Int) -> Int? {
    read(number) { key, _ in
      guard !ArchiveKey.isHashed(key), let slash = key.lastIndex(of: UInt8(ascii: "/")) else { return nil }
      return self.number(of: UnsafeRawBufferPointer(rebasing: key[..<slash]))
    } ?? nil
  }
}
