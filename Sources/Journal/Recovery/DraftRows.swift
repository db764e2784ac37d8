import RepriseLMDB
import RepriseLog
import RepriseObjectModel

/// A draft as rows of the table `drafts`: see ``DraftRowKind``.
package struct DraftRows: Sendable {
  package var state: DraftReplay
  /// By journal: the last frame that the rows include.
  package var checkpointed: [UniqueID: UInt64] = [:]
  /// The rows as read, without damaged ones.
  package private(set) var rows: [JournalRow] = []
  /// The remaining rows. The next write removes them, and counts them as lost in the header.
  package private(set) var damagedRows: [JournalRow] = []
  package private(set) var problems: [JournalProblem] = []
  /// The header's summary of the rows. `nil` if it is damaged or lost.
  private var summary: DraftSummary?
  /// How many rows of each generation were read.
  private var counts: [DraftSummary.Layer] = []
  /// Whether the header was read.
  package private(set) var hasHeader = false
  /// The hash of the ID.
  private let hash: [UInt8]

  /// Whether the table has no row of the draft, damaged or not.
  package var isEmpty: Bool { rows.isEmpty && problems.isEmpty }

  // MARK: Reading

  package init(_ draft: JournalTopic, _ view: View, _ table: Table) throws(StorageError) {
    state = DraftReplay(draft.name)
    hash = draft.hash
    for kind in DraftRowKind.allCases {
      for row in try JournalRow.read(view, table, prefix: kind.prefix(hash)) {
        do throws(MalformedBytes) {
          try read(kind, row)
          rows.append(row)
        } catch {
          damagedRows.append(row)
          problems.append(.damagedRow(table: table.name, reason: error.description))
        }
      }
    }
    compareCounts()
    state.layers.sort { $0.generation < $1.generation }
    for layer in state.layers { state.generation = max(state.generation, layer.generation) }
    if !state.layers.isEmpty { state.exists = true }
  }

  /// Compares the rows with the header's counts.
  private mutating func compareCounts() {
    state.lostRows = damagedRows.count
    guard let summary else { return }
    var (missing, stray) = (summary.lostRows, 0)
    func compare(_ said: Int, _ found: Int) {
      missing += max(0, said - found)
      stray += max(0, found - said)
    }
    for said in summary.layers {
      let found = counts.first { $0.generation == said.generation } ?? DraftSummary.Layer(generation: said.generation)
      compare(said.changes, found.changes)
      compare(said.groups, found.groups)
      compare(said.redo, found.redo)
    }
    for found in counts where !summary.layers.contains(where: { $0.generation == found.generation }) {
      stray += found.changes + found.groups + found.redo
    }
    // Damaged rows are reported separately.
    missing = max(summary.lostRows, missing - damagedRows.count)
    state.lostRows += missing
    if missing > 0 { problems.append(.rowsLost(draft: state.header.id, count: missing)) }
    if stray > 0 { problems.append(.strayRows(draft: state.header.id, count: stray)) }
  }

  private mutating func count(_ generation: UInt64, _ body: (inout DraftSummary.Layer) -> Void) {
    if counts.last?.generation != generation, let place = counts.firstIndex(where: { $0.generation == generation }) {
      return body(&counts[place])
    }
    if counts.last?.generation != generation { counts.append(DraftSummary.Layer(generation: generation)) }
    body(&counts[counts.count - 1])
  }

  private mutating func read(_ kind: DraftRowKind, _ row: JournalRow) throws(MalformedBytes) {
    if kind == .header { return try readHeader(row.value) }
    let (generation, object) = try row.key.lend { (key) throws(MalformedBytes) in
      var reader = ByteReader(key)
      _ = try reader.take(17)
      let generation = UInt64(bigEndian: try reader.fixed(UInt64.self))
      return (generation, kind == .change ? try reader.keyOfObject() : nil)
    }
    try row.value.lend { (value) throws(MalformedBytes) in
      let value = try Self.content(of: value)
      if let object {
        try state.add(value, of: object, to: generation)
        return count(generation) { $0.changes += 1 }
      }
      let isUndo = kind == .undo
      try state.add(value, isUndo: isUndo, to: generation)
      count(generation) { if isUndo { $0.groups += 1 } else { $0.redo += 1 } }
    }
  }

  private mutating func readHeader(_ value: [UInt8]) throws(MalformedBytes) {
    let row = try DraftHeaderRow(value)
    guard row.header.id == state.header.id else { throw MalformedBytes("the header of this draft", at: 0) }
    state.begin(row)
    checkpointed = row.checkpointed
    (summary, hasHeader) = (row.summary, true)
  }

  /// The content after the checksum of a row's value.
  static func content(of value: UnsafeRawBufferPointer) throws(MalformedBytes) -> UnsafeRawBufferPointer {
    let reader = try ByteReader(sealed: value)
    return UnsafeRawBufferPointer(rebasing: value[reader.offset...])
  }
}

extension ByteReader {
  /// The object in the key of a net change, behind the generation.
  mutating func keyOfObject() throws(MalformedBytes) -> ObjectAddress {
    ObjectAddress(entity: UInt32(bigEndian: try fixed(UInt32.self)), uuid: try uuid())
  }
}

extension DraftReplay {
  /// Adds the net change of an object, as its row has it.
  mutating func add(
    _ row: UnsafeRawBufferPointer, of object: ObjectAddress, to generation: UInt64
  ) throws(MalformedBytes) {
    let change = try Change(ofDraft: row)
    guard change.object == object else {
      throw MalformedBytes("a change of the object that the key of the row names", at: 0)
    }
    var fields = change.fields
    while let (_, field) = try fields.next() {
      guard case .set = field else { throw MalformedBytes("whole values", at: 0) }
    }
    let (layer, place) = (place(of: generation), bytes.copy(row))
    try bytes.lend { (lent) throws(MalformedBytes) in
      try layers[layer].net.add(try Change(lent[place]), lent)
    }
  }

  /// Adds an undo group, as its row has it.
  fileprivate mutating func add(
    _ row: UnsafeRawBufferPointer, isUndo: Bool, to generation: UInt64
  ) throws(MalformedBytes) {
    var reader = ByteReader(row)
    let head = try GroupHead(&reader)
    var steps: [Range<Int>] = []
    for _ in 0..<(try reader.count()) {
      let size = try reader.sized("an edit").count
      steps.append(reader.offset - size..<reader.offset)
    }
    try reader.expectEnd("the end of a group")
    let start = bytes.copy(row).lowerBound
    var group = Group(head: start, head.reversal?.origin)
    for step in steps { group.append(start + step.lowerBound..<start + step.upperBound) }
    let layer = place(of: generation)
    if isUndo { layers[layer].groups.append(group) } else { layers[layer].redo.append(group) }
  }

  /// The place of a layer, which is made if there is none.
  private mutating func place(of generation: UInt64) -> Int {
    if let known = layers.lastIndex(where: { $0.generation == generation }) { return known }
    layers.append(Layer(generation: generation))
    return layers.count - 1
  }
}

// MARK: Writing

extension DraftRows {
  /// The rows for the present state. Empty if the draft has ended.
  package func newRows(checkpointed: [UniqueID: UInt64]) -> [JournalRow] {
    guard state.exists else { return [] }
    var rows: [JournalRow] = []
    var summary = DraftSummary()
    summary.lostRows = state.lostRows
    state.bytes.lend { lent in
      for layer in state.separated(lent) {
        let before = rows.count
        // Undo needs the values of fields even if their net change is nothing.
        let keepsAll = !layer.groups.isEmpty || !layer.redo.isEmpty
        for net in layer.net.nets where net.kind != nil && !net.isNothing {
          guard keepsAll || layer.net.isChange(net, lent) else { continue }
          summary.add(net, layer.net, lent)
          var writer = ByteWriter.sealing(reserving: 64)
          layer.net.write(net, lent, to: &writer) { _, isChanged in keepsAll || isChanged }
          rows.append(
            JournalRow(key: DraftRowKind.key(net.object, hash, layer.generation), value: writer.sealed()))
        }
        summary.layers.append(
          DraftSummary.Layer(
            generation: layer.generation, changes: rows.count - before, groups: layer.groups.count,
            redo: layer.redo.count))
        for (number, group) in layer.groups.enumerated() {
          rows.append(Self.row(group, .undo, number, hash, layer.generation, lent))
        }
        for (number, group) in layer.redo.enumerated() {
          rows.append(Self.row(group, .redo, number, hash, layer.generation, lent))
        }
      }
    }
    summary.hasReversals = state.layers.contains { ($0.groups + $0.redo).contains { $0.origin != nil } }
    let header = DraftHeaderRow(
      header: state.header, isKnown: state.hasHeader, generation: state.generation, checkpointed: checkpointed,
      changedAt: state.changedAt, summary: summary)
    return [header.row(hash)] + rows
  }

  private static func row(
    _ group: DraftReplay.Group, _ kind: DraftRowKind, _ number: Int, _ hash: [UInt8], _ generation: UInt64,
    _ lent: LentBytes
  ) -> JournalRow {
    var writer = ByteWriter.sealing(reserving: 64)
    var reader = ByteReader(lent.from(group.head))
    // It was read before.
    _ = try? GroupHead(&reader)
    writer.append(UnsafeRawBufferPointer(rebasing: reader.bytes[..<reader.offset]))
    let steps = group.steps
    writer.varint(steps.count)
    for step in steps {
      writer.varint(step.count)
      writer.append(lent[step])
    }
    return JournalRow(key: kind.key(number, hash, generation), value: writer.sealed())
  }

  /// Removes the rows of edits up to a generation, and takes them out of the header's summary. Without later ones, the
  /// header goes as well. It is part of a save, so it writes nothing else.
  static func consume(
    _ draft: JournalTopic, upTo generation: UInt64, _ transaction: borrowing WriteTransaction, _ table: Table
  ) throws(StorageError) {
    var isConsumed = false
    for kind in [DraftRowKind.change, .undo, .redo] {
      let keys = try keys(transaction.view, table, kind.prefix(draft.hash), upTo: generation)
      if !keys.isEmpty { isConsumed = true }
      try transaction.delete(table, shown: keys)
    }
    if var header = try DraftHeaderRow(draft, transaction.view, table) {
      header.summary.consume(upTo: generation)
      if !header.summary.layers.isEmpty {
        if !isConsumed { return }
        let row = header.row(draft.hash)
        return try JournalRow.replace(row.key, with: row.value, transaction, table)
      }
    }
    for kind in [DraftRowKind.change, .undo, .redo] {
      if try key(transaction.view, table, kind.prefix(draft.hash)) != nil { return }
    }
    while let key = try key(transaction.view, table, DraftRowKind.header.prefix(draft.hash)) {
      try transaction.delete(table, shown: [key])
    }
  }

  /// The first key with a prefix, of a chunk. `nil` if there is none.
  private static func key(_ view: View, _ table: Table, _ prefix: [UInt8]) throws(StorageError) -> [UInt8]? {
    var cursor = try view.cursor(table)
    guard let found = try cursor.seek(prefix.span.bytes) else { return nil }
    let key = found.key.withUnsafeBytes { [UInt8]($0) }
    return key.starts(with: prefix) ? key : nil
  }

  private static func keys(
    _ view: View, _ table: Table, _ prefix: [UInt8], upTo generation: UInt64
  ) throws(StorageError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var cursor = try view.cursor(table)
    var entry = try cursor.seek(prefix.span.bytes)
    while let found = entry {
      let key = found.key.withUnsafeBytes { [UInt8]($0) }
      guard key.starts(with: prefix), key.count >= prefix.count + 8 else { break }
      let its = key[prefix.count..<prefix.count + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard its <= generation else { break }
      keys.append(key)
      entry = try cursor.next()
    }
    return keys
  }
}

extension DraftReplay {
  /// The layers in strictly ascending order of generation. A layer that is out of order is merged into the one before
  /// it.
  fileprivate func separated(_ lent: LentBytes) -> [Layer] {
    var result: [Layer] = []
    for layer in layers {
      guard var last = result.last, last.generation >= layer.generation else {
        result.append(layer)
        continue
      }
      last.net.append(layer.net, lent)
      last.groups += layer.groups
      // In reverse: marks are redone first, then the groups of the lower layer, then of the upper one.
      last.redo = (layer.redo + last.redo).filter { !$0.isMark } + (last.redo + layer.redo).filter(\.isMark)
      result[result.count - 1] = last
    }
    return result
  }
}
