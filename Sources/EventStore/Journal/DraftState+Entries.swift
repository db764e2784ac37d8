import RepriseObjectModel

extension DraftState {
  /// Applies an entry. One that cannot be read is reported and left out.
  mutating func apply(_ entry: JournalIndex.Entry, in scan: borrowing JournalScan) {
    let body = scan.bytes[entry.body]
    do throws(MalformedBytes) {
      switch entry.kind {
      case .began: try begin(body)
      case .edited: try edit(body, scan.journal, isSound: scan.damage.isEmpty)
      case .undone: try undo()
      case .redone: try redoLast()
      case .emptied:
        let generation = try SliceReader.reading(body) { (reader) throws(MalformedBytes) in
          try reader.reader.varint("a generation")
        }
        empty(upTo: generation)
      case .rebased:
        header.base = try SliceReader.reading(body) { (reader) throws(MalformedBytes) in
          try reader.reader.varint("a position")
        }
      case .ended: end()
      case .held, .nodePut, .nodeRemoved, .sceneCleared: break
      }
    } catch {
      problems.append(
        .malformedEntry(
          file: JournalFolder.name(scan.journal), frame: entry.frame, reason: error.description))
    }
  }

  private mutating func begin(_ body: ArraySlice<UInt8>) throws(MalformedBytes) {
    let id = header.id
    let (found, began) = try SliceReader.reading(body) { (reader) throws(MalformedBytes) in
      let generation = try reader.reader.varint("a generation")
      let base = try reader.reader.varint("a position")
      let parent = try reader.optionalString("a parent's ID")
      let author = try reader.optionalString("an author")
      let name = try reader.optionalString("a name")
      return (DraftHeader(id: id, parent: parent, author: author, base: base, name: name), generation)
    }
    header = found
    hasHeader = true
    exists = true
    generation = max(generation, began)
  }

  private mutating func edit(
    _ body: ArraySlice<UInt8>, _ journal: UniqueID, isSound: Bool
  ) throws(MalformedBytes) {
    let (edited, startsGroup, name, step) = try SliceReader.reading(body) { (reader) throws(MalformedBytes) in
      let generation = try reader.reader.varint("a generation")
      let flags = try reader.reader.byte("an edit's flags")
      let name = flags & 2 == 0 ? nil : try reader.reader.string("a group's name")
      return (generation, flags & 1 != 0, name, reader.rest)
    }
    try edit(
      step, journal: journal, generation: edited, startsGroup: startsGroup, name: name, isSound: isSound)
  }
}
