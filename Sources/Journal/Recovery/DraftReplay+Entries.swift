import RepriseObjectModel

extension DraftReplay {
  /// Applies the journals' entries on top of the rows, then removes the generations that saves consumed, by journal.
  mutating func apply(_ runs: [JournalRun], _ consumed: [UniqueID: UInt64]) {
    expected = min(runs.reduce(0) { $0 + $1.entries.count }, 4_096)
    if let first = runs.first { bytes.leave(first.journal) }
    for run in runs {
      // Not the greatest time, because the rows may have the time of a clock that was ahead.
      if let last = run.entries.last { changedAt = run.journal.time(of: last) }
      run.journal.scan.bytes.lend { file in
        for entry in run.entries { apply(entry, in: run.journal, file, consumed) }
      }
    }
    let hasBegun = exists
    remove(consumed)
    for generation in consumed.values where hasBegun { passed(generation) }
    if exists, !hasHeader { problems.append(.headerLost(draft: header.id)) }
  }

  /// Applies an entry. An unreadable one is reported and skipped.
  private mutating func apply(
    _ entry: JournalIndex.Entry, in journal: JournalContent, _ file: UnsafeRawBufferPointer,
    _ consumed: [UniqueID: UInt64]
  ) {
    var reader = ByteReader(UnsafeRawBufferPointer(rebasing: file[entry.body]))
    do throws(MalformedBytes) {
      switch entry.kind {
      case .began:
        let (found, began) = try reader.draftHeader(header.id)
        header = found
        (hasHeader, exists) = (true, true)
        generation = max(generation, began)
      case .edited: try edit(entry, in: journal, file, consumed)
      case .undone: try bytes.lend { (lent) throws(MalformedBytes) in try undo(lent) }
      case .redone: try bytes.lend { (lent) throws(MalformedBytes) in try redoLast(lent) }
      case .emptied: empty(upTo: try reader.varint("a generation"))
      case .rebased: (header.base, header.baseHash) = try reader.draftBase()
      case .ended: end()
      case .nodePut, .nodeRemoved, .sceneCleared: break
      }
    } catch {
      problems.append(
        .malformedEntry(file: journal.file, frame: journal.number(of: entry), reason: error.description))
    }
  }

  private mutating func edit(
    _ entry: JournalIndex.Entry, in journal: JournalContent, _ file: UnsafeRawBufferPointer,
    _ consumed: [UniqueID: UInt64]
  ) throws(MalformedBytes) {
    let isLeft = bytes.journal === journal
    let place = isLeft ? entry.body : bytes.copy(UnsafeRawBufferPointer(rebasing: file[entry.body]))
    let (id, isSound, known) = (journal.journal, journal.scan.damage.isEmpty, problems.count)
    let adapted = try bytes.lend(isLeft ? file : nil) { (lent) throws(MalformedBytes) in
      try edit(place, journal: id, isSound: isSound, lent)
    }
    if let adapted { adapt(adapted) }
    // The save that consumed this edit may also have removed the rows that it refers to.
    if problems.count > known, let generation = layers.last?.generation, generation <= consumed[id] ?? 0 {
      problems.removeLast(problems.count - known)
    }
  }
}
