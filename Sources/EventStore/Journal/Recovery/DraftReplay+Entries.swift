import RepriseObjectModel

extension DraftReplay {
  /// Applies the journals' entries on top of the rows, then removes the generations that saves consumed, by journal.
  mutating func apply(_ runs: [JournalRun], _ consumed: [UniqueID: UInt64]) {
    expected = min(runs.reduce(0) { $0 + $1.entries.count }, 4_096)
    for run in runs {
      // Not the greatest time: the rows may have that of a clock that was ahead.
      if let last = run.entries.last { changedAt = run.journal.time(of: last) }
      for entry in run.entries { apply(entry, in: run.journal, consumed) }
    }
    let hasBegun = exists
    remove(consumed)
    for generation in consumed.values where hasBegun { passed(generation) }
    if exists, !hasHeader { problems.append(.headerLost(draft: header.id)) }
  }

  /// Applies an entry. An unreadable one is reported and skipped.
  private mutating func apply(
    _ entry: JournalIndex.Entry, in journal: JournalContent, _ consumed: [UniqueID: UInt64]
  ) {
    let scan = journal.scan
    let body = scan.bytes[entry.body]
    do throws(MalformedBytes) {
      switch entry.kind {
      case .began: try begin(body)
      case .edited: try edit(body, scan.journal, consumed, isSound: scan.damage.isEmpty)
      case .undone: try undo()
      case .redone: try redoLast()
      case .emptied:
        let generation = try SliceReader.reading(body) { (reader) throws(MalformedBytes) in
          try reader.reader.varint("a generation")
        }
        empty(upTo: generation)
      case .rebased:
        (header.base, header.baseHash) = try SliceReader.reading(body) { (reader) throws(MalformedBytes) in
          try reader.reader.draftBase()
        }
      case .ended: end()
      case .nodePut, .nodeRemoved, .sceneCleared: break
      }
    } catch {
      problems.append(
        .malformedEntry(file: journal.file, frame: journal.number(of: entry), reason: error.description))
    }
  }

  private mutating func begin(_ body: ArraySlice<UInt8>) throws(MalformedBytes) {
    let id = header.id
    let (found, began) = try SliceReader.reading(body) { (reader) throws(MalformedBytes) in
      try reader.reader.draftHeader(id)
    }
    header = found
    hasHeader = true
    exists = true
    generation = max(generation, began)
  }

  private mutating func edit(
    _ body: ArraySlice<UInt8>, _ journal: UniqueID, _ consumed: [UniqueID: UInt64], isSound: Bool
  ) throws(MalformedBytes) {
    let (head, step) = try SliceReader.reading(body) { (reader) throws(MalformedBytes) in
      (try reader.reader.editHead(), reader.rest)
    }
    let known = problems.count
    try edit(step, head, journal: journal, isSound: isSound)
    // The save that consumed this edit may also have removed the rows that it refers to.
    if head.generation <= consumed[journal] ?? 0 { problems.removeLast(problems.count - known) }
  }
}
