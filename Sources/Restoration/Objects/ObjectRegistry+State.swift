/// The states of objects that have one of their own.
extension ObjectRegistry {
  /// The record of an object, if it is to be written into the scene's archive. One that scenes share is written here.
  func changedRecord(of entry: ObjectEntry) throws(StateCodingError) -> ArchiveRecord? {
    guard entry.references > 0 else {
      // Other scenes may have the object of which it has the node.
      if entry.made != nil { try takeState(of: entry) }
      return nil
    }
    // Whoever refers to it may have received it by hand.
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
      // Whatever comes now is newer, also what it was at first.
      entry.stateAtFirst = nil
    }
    entry.state = state[...]
    entry.isChanged = true
    if entry.node != nil { giveState(of: entry) }
  }

  /// All objects that encode themselves are to be asked for their state, and nodes in other scenes for that of objects
  /// that factories made.
  func markAll() {
    for case let object? in entries.values.map(\.restorable) { markWherever(object) }
    for entry in entries.values { gatherState(for: entry) }
  }
}
