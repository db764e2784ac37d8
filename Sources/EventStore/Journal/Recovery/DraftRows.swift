import RepriseLMDB
import RepriseObjectModel

/// A draft as rows of the table `drafts`: see ``DraftRowKind``.
struct DraftRows: Sendable {
  var state: DraftReplay
  /// By journal: the last frame that the rows include.
  var checkpointed: [UniqueID: UInt64] = [:]
  /// The rows as read, without damaged ones.
  private(set) var rows: [JournalRow] = []
  /// The others. The next write removes them, and counts them in the header as lost.
  private(set) var damagedRows: [JournalRow] = []
  private(set) var problems: [JournalProblem] = []
  /// What the header says of the rows; `nil` if it is damaged or lost.
  private var summary: DraftSummary?
  /// How many rows of each generation were read.
  private var counts: [DraftSummary.Layer] = []
  /// Whether the header was read.
  private(set) var hasHeader = false

  /// Whether the table has no row of the draft, damaged or not.
  var isEmpty: Bool { rows.isEmpty && problems.isEmpty }

  // MARK: Reading

  init(_ id: String, _ view: View, _ table: Table) throws(StorageError) {
    state = DraftReplay(id)
    let hash = JournalRow.hash(id)
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

  /// Compares the rows with what the header counts.
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
    // Those were reported as what they are.
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
    let (generation, place) = try SliceReader.reading(row.key.dropFirst(17)) { (reader) throws(MalformedBytes) in
      (UInt64(bigEndian: try reader.reader.fixed(UInt64.self)), reader.rest)
    }
    switch kind {
    case .header: break
    case .change:
      let change = try Self.change(place, row.value)
      count(generation) { $0.changes += 1 }
      layer(generation) { $0.net.put(change) }
    case .undo, .redo:
      let group = try Self.group(row.value)
      count(generation) { if kind == .undo { $0.groups += 1 } else { $0.redo += 1 } }
      layer(generation) { layer in
        if kind == .undo { layer.groups.append(group) } else { layer.redo.append(group) }
      }
    }
  }

  private mutating func layer(_ generation: UInt64, _ body: (inout DraftReplay.Layer) -> Void) {
    let index: Int
    if let known = state.layers.lastIndex(where: { $0.generation == generation }) {
      index = known
    } else {
      index = state.layers.count
      state.layers.append(DraftReplay.Layer(generation: generation))
    }
    body(&state.layers[index])
  }

  private mutating func readHeader(_ value: [UInt8]) throws(MalformedBytes) {
    let row = try DraftHeaderRow(value)
    guard row.header.id == state.header.id else { throw MalformedBytes("the header of this draft", at: 0) }
    state.begin(row)
    checkpointed = row.checkpointed
    (summary, hasHeader) = (row.summary, true)
  }

  /// - Parameter place: The key behind the generation.
  static func change(_ place: ArraySlice<UInt8>, _ value: [UInt8]) throws(MalformedBytes) -> NetChanges.Change {
    let object = try SliceReader.reading(place) { (reader) throws(MalformedBytes) in
      let entity = UInt32(bigEndian: try reader.reader.fixed(UInt32.self))
      return DraftObject(entity: entity, uuid: try reader.reader.uuid())
    }
    return try change(object, value)
  }

  static func change(_ object: DraftObject, _ value: [UInt8]) throws(MalformedBytes) -> NetChanges.Change {
    try SliceReader.readingSealed(value) { (reader) throws(MalformedBytes) in
      let code = try reader.reader.byte("the kind of a change")
      guard let kind = EncodedEditKind(rawValue: code) else { throw reader.reader.fail("the kind of a change") }
      var fields: [NetChanges.Field] = []
      for _ in 0..<(try reader.reader.count(of: 3)) {
        let number = try reader.reader.number("a property's number")
        let old = try reader.value()
        fields.append(NetChanges.Field(number: number, old: old, new: try reader.value()))
      }
      try reader.reader.expectEnd("the end of a change")
      return NetChanges.Change(object: object, kind: kind, fields: fields)
    }
  }

  static func group(_ value: [UInt8]) throws(MalformedBytes) -> DraftReplay.Group {
    try SliceReader.readingSealed(value) { (reader) throws(MalformedBytes) in
      var group = DraftReplay.Group(name: try reader.optionalString("a group's name"))
      for _ in 0..<(try reader.reader.count()) { group.append(try reader.sized("an edit")) }
      if reader.reader.isAtEnd { return group }
      group.reversal = try reader.reader.reversal()
      try reader.reader.expectEnd("the end of a group")
      return group
    }
  }
}

// MARK: Writing

extension DraftRows {
  /// The rows for a state; empty if the draft has ended.
  static func rows(_ state: DraftReplay, checkpointed: [UniqueID: UInt64]) -> [JournalRow] {
    guard state.exists else { return [] }
    let hash = JournalRow.hash(state.header.id)
    var rows: [JournalRow] = []
    var summary = DraftSummary()
    summary.lostRows = state.lostRows
    for layer in state.separated {
      let before = rows.count
      for change in layer.net.changes {
        guard let kind = change.kind else { continue }
        // Undo needs this field's values even if their net change is nothing.
        guard change.isChange || !layer.groups.isEmpty || !layer.redo.isEmpty else { continue }
        summary.add(change)
        rows.append(row(change, kind, hash, layer.generation))
      }
      summary.layers.append(
        DraftSummary.Layer(
          generation: layer.generation, changes: rows.count - before, groups: layer.groups.count,
          redo: layer.redo.count))
      for (number, group) in layer.groups.enumerated() {
        rows.append(row(group, .undo, number, hash, layer.generation))
      }
      for (number, group) in layer.redo.enumerated() {
        rows.append(row(group, .redo, number, hash, layer.generation))
      }
    }
    summary.hasReversals = state.layers.contains { ($0.groups + $0.redo).contains { $0.reversal != nil } }
    let header = DraftHeaderRow(
      header: state.header, isKnown: state.hasHeader, generation: state.generation, checkpointed: checkpointed,
      changedAt: state.changedAt, summary: summary)
    return [header.row] + rows
  }

  private static func row(
    _ change: NetChanges.Change, _ kind: EncodedEditKind, _ hash: [UInt8], _ generation: UInt64
  ) -> JournalRow {
    var writer = ByteWriter.sealing(reserving: 64)
    writer.append(kind.rawValue)
    writer.varint(change.fields.count)
    for field in change.fields {
      writer.varint(UInt64(field.number))
      writer.value(field.old)
      writer.value(field.new)
    }
    return JournalRow(key: DraftRowKind.key(change.object, hash, generation), value: writer.sealed())
  }

  private static func row(
    _ group: DraftReplay.Group, _ kind: DraftRowKind, _ number: Int, _ hash: [UInt8], _ generation: UInt64
  ) -> JournalRow {
    var writer = ByteWriter.sealing(reserving: 64)
    writer.optionalString(group.name)
    let steps = group.steps
    writer.varint(steps.count)
    for step in steps {
      writer.varint(step.count)
      writer.append(step)
    }
    if let reversal = group.reversal { writer.reversal(reversal) }
    return JournalRow(key: kind.key(number, hash, generation), value: writer.sealed())
  }

  /// Removes the rows of edits up to a generation, and takes them out of the header's summary; without later ones, the
  /// header goes as well. It is part of a save, so it writes nothing else.
  static func consume(
    _ id: String, upTo generation: UInt64, _ transaction: borrowing WriteTransaction, _ table: Table
  ) throws(StorageError) {
    let hash = JournalRow.hash(id)
    var isConsumed = false
    for kind in [DraftRowKind.change, .undo, .redo] {
      let keys = try keys(transaction.view, table, kind.prefix(hash), upTo: generation)
      if !keys.isEmpty { isConsumed = true }
      try transaction.delete(table, shown: keys)
    }
    if var header = try DraftHeaderRow(id, transaction.view, table) {
      header.summary.consume(upTo: generation)
      if !header.summary.layers.isEmpty {
        if !isConsumed { return }
        let row = header.row
        return try JournalRow.replace(row.key, with: row.value, transaction, table)
      }
    }
    for kind in [DraftRowKind.change, .undo, .redo] {
      if try key(transaction.view, table, kind.prefix(hash)) != nil { return }
    }
    while let key = try key(transaction.view, table, DraftRowKind.header.prefix(hash)) {
      try transaction.delete(table, shown: [key])
    }
  }

  /// The first key with a prefix, of a chunk; `nil` if there is none.
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
  /// The layers in strictly ascending order of generation: a layer out of order is merged into the one before it.
  fileprivate var separated: [Layer] {
    var result: [Layer] = []
    for layer in layers {
      guard var last = result.last, last.generation >= layer.generation else {
        result.append(layer)
        continue
      }
      for change in layer.net.changes { last.net.add(change) }
      last.groups += layer.groups
      // Marks are of what was undone last.
      last.redo = layer.redo.contains(where: \.isMark) ? last.redo + layer.redo : layer.redo + last.redo
      result[result.count - 1] = last
    }
    return result
  }
}

extension NetChanges {
  /// Merges a change of the layer above.
  fileprivate mutating func add(_ change: Change) {
    switch change.kind {
    case .inserted: insert(change.object, change.fields.map { ($0.number, $0.new) })
    case .deleted: delete(change.object, change.fields.map { ($0.number, $0.old) })
    case .updated:
      for field in change.fields { set(change.object, field.number, from: field.old, to: field.new) }
    case nil: break
    }
  }
}
