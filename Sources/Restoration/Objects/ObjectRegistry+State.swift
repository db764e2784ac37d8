/// The states of objects that encode themselves.
extension ObjectRegistry {
  /// The record of an object, if the scene's archive must get it. A shared record is written here.
  func changedRecord(of entry: ObjectEntry) throws(StateCodingError) -> ArchiveRecord? {
    guard entry.references > 0 else {
      // Other scenes may have the object of this node.
      if entry.made != nil { try takeState(of: entry) }
      return nil
    }
    // Another object may have received it directly from the program.
    if case .open = entry.resolution, entry.restorable != nil { _ = try? resolve(entry.key) }
    guard case .done = entry.resolution else { return nil }
    try takeState(of: entry)
    guard entry.state != nil else { return nil }
    let isChanged = entry.isChanged
    entry.isChanged = false
    if share(entry) {
      removeRecord(of: entry)
      return nil
    }
    guard isChanged || !entry.isStored else { return nil }
    entry.isStored = true
    return entry.record
  }

  /// Encodes an object's state.
  func takeState(of entry: ObjectEntry) throws(StateCodingError) {
    let state: [UInt8]
    if let node = entry.node {
      state = try node.encoded()
    } else if let restorable = entry.restorable {
      let encoder = RestorationEncoder(self)
      restorable.encodeRestorableState(with: encoder)
      state = try encoder.encoded(keeping: entry.unknown)
      changeNeeds(of: entry, to: encoder.references)
    } else {
      return
    }
    guard state[...] != entry.state else { return }
    if state[...] != entry.stateAtFirst {
      entry.stamp = stamp(for: entry)
      // Any later state is newer, even if it equals the first one.
      entry.stateAtFirst = nil
    }
    entry.state = state[...]
    entry.isChanged = true
    if entry.node != nil { giveState(of: entry) }
  }

  /// Marks all objects that encode themselves, and the nodes in other scenes of objects that factories made.
  func markAll() {
    for case let object? in entries.values.map(\.restorable) { markWherever(object) }
    for entry in entries.values { gatherState(for: entry) }
  }
}
