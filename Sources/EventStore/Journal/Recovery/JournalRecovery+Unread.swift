import RepriseLMDB
import RepriseObjectModel

extension JournalRecovery {
  /// A draft of more rows than the source's limit, of which only those are read about which journals say more; `nil` if
  /// it has fewer, or has to be read as a whole: where models lack what it touches, where rows are damaged or missing,
  /// where it takes back transactions of the log, or where journals undo what is in the rows.
  func unreadDraft(
    _ id: String, _ view: View, _ map: SchemaMap, _ source: DraftSource
  ) throws(StorageError) -> DraftImage? {
    guard let row = try DraftHeaderRow(id, view, tables.drafts) else { return nil }
    let summary = row.summary
    guard !summary.hasReversals, summary.lostRows == 0, summary.rowCount > source.limit, summary.isKnown(to: map),
      try hasRows(of: summary, id, view)
    else { return nil }
    let runs = try entries(.draft(id), row.checkpointed, view)
    var state = DraftReplay(id)
    state.begin(row)
    let touched = Self.objects(in: runs)
    for layer in summary.layers {
      guard let partly = try self.layer(layer, of: id, touched, view) else { return nil }
      state.layers.append(partly)
      state.generation = max(state.generation, layer.generation)
    }
    state.apply(runs, try JournalMarks.consumed(id, view, tables.journals))
    guard state.exists, !state.needsUnread, let image = try? state.image(map) else { return nil }
    generations.note(state.generation)
    return self.image(image, state, touched, summary, map, source, runs)
  }

  private func image(
    _ partly: DraftImage, _ state: DraftReplay, _ touched: Set<DraftObject>, _ rows: DraftSummary, _ map: SchemaMap,
    _ source: DraftSource, _ runs: [JournalRun]
  ) -> DraftImage {
    var summary = rows
    // Those of the rows that entries have left.
    summary.layers = rows.layers.filter { row in state.layers.contains { $0.generation == row.generation } }
    for layer in state.layers { for change in layer.net.changes { summary.add(change) } }
    var read = ObjectMap<ObjectChange?>()
    for object in touched {
      guard let name = map.name(number: object.entity) else { continue }
      let id = AnyObjectID(name, object.uuid)
      read[id] = .some(partly.changes[id])
    }
    let last = state.layers.last { !$0.groups.isEmpty || $0.unreadGroups > 0 }
    let unread = UnreadChanges(
      state.header.id, source, tables.drafts, summary, map, upTo: state.layers.last?.generation ?? 0, read: read)
    var image = DraftImage(
      header: state.header, generation: state.generation, changes: ObjectMap(),
      groupCount: state.layers.reduce(0) { $0 + $1.unreadGroups + $1.groups.count },
      lastGroupName: last?.groups.last?.name, redoCount: state.layers.reduce(0) { $0 + $1.unreadRedo + $1.redo.count },
      steps: .unread(unread, hasLastGroup: last?.groups.isEmpty ?? false), map: map)
    image.problems = runs.compactMap(\.journal.damage) + state.problems
    return image
  }

  /// Whether there is a row of each kind and generation that the header counts. Whether all are there is found out when
  /// they are read.
  private func hasRows(of summary: DraftSummary, _ id: String, _ view: View) throws(StorageError) -> Bool {
    let hash = JournalRow.hash(id)
    for layer in summary.layers {
      for (kind, count) in [(DraftRowKind.change, layer.changes), (.undo, layer.groups), (.redo, layer.redo)] {
        let prefix = kind.prefix(hash, layer.generation)
        if count > 0, try JournalRow.read(view, tables.drafts, prefix: prefix, atMost: 1).isEmpty { return false }
      }
    }
    return true
  }

  /// A layer with the net changes of these objects, and none of its groups; `nil` if one of them is damaged.
  private func layer(
    _ row: DraftSummary.Layer, of id: String, _ touched: Set<DraftObject>, _ view: View
  ) throws(StorageError) -> DraftReplay.Layer? {
    var layer = DraftReplay.Layer(generation: row.generation)
    (layer.unreadGroups, layer.unreadRedo) = (row.groups, row.redo)
    let hash = JournalRow.hash(id)
    for object in touched {
      let key = DraftRowKind.key(object, hash, row.generation)
      guard let value = try JournalRow.value(key, view, tables.drafts) else { continue }
      guard let change = try? DraftRows.change(object, value) else { return nil }
      layer.net.put(change)
    }
    return layer
  }

  /// The objects that entries edit.
  private static func objects(in runs: [JournalRun]) -> Set<DraftObject> {
    var objects: Set<DraftObject> = []
    for run in runs {
      run.journal.scan.bytes.lend { bytes in
        for entry in run.entries where entry.kind == .edited {
          var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[entry.body]))
          if let object = try? reader.editedObject() { objects.insert(object) }
        }
      }
    }
    return objects
  }
}

extension ByteReader {
  /// The object of an entry about an edit.
  fileprivate mutating func editedObject() throws(MalformedBytes) -> DraftObject {
    _ = try editHead()
    return DraftObject(entity: try number("an entity's number"), uuid: try uuid("an object's UUID"))
  }
}
