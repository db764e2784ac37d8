import RepriseEventStore

/// Counts references, so that an object is archived while something archived refers to it.
extension ObjectRegistry {
  func retain(_ needs: [String]) {
    for key in needs {
      let entry = entry(key)
      entry.references += 1
      guard entry.references == 1 else { continue }
      changes.mark(entry)
      markSharers(of: entry)
      retain(entry.needs)
    }
  }

  func release(_ needs: [String]) {
    for key in needs {
      guard let entry = entries[key], entry.references > 0 else { continue }
      entry.references -= 1
      guard entry.references == 0 else { continue }
      release(entry.needs)
      removeRecords(of: entry)
    }
  }

  func changeNeeds(of entry: NodeEntry, to needs: [String]) {
    guard needs != entry.needs else { return }
    retain(needs)
    release(entry.needs)
    entry.needs = needs
    entry.isMoved = true
  }

  func changeNeeds(of entry: ObjectEntry, to needs: [String]) {
    guard needs != entry.needs else { return }
    if entry.references > 0 {
      retain(needs)
      release(entry.needs)
    }
    entry.needs = needs
  }

  func forgetState(of entry: ObjectEntry) {
    entry.state = nil
    entry.unknown = nil
    entry.node = nil
    entry.ignoresShared = true
    removeRecords(of: entry)
    entry.isShared = false
  }

  private func removeRecords(of entry: ObjectEntry) {
    // Nodes that were not read may refer to the object.
    if entry.ignoresShared || !hasUnreadNodes { leaveShared(entry) }
    removeRecord(of: entry)
  }

  /// Removes the record in the scene's archive.
  func removeRecord(of entry: ObjectEntry) {
    guard entry.isStored else { return }
    entry.isStored = false
    changes.remove(ArchiveKey.object(entry.key))
  }
}
