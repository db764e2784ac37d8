import RepriseLMDB
import RepriseLog
import RepriseObjectModel

extension JournalRecovery {
  /// A draft with more rows than the source's limit, of which only the objects in journals are read. `nil` if it has
  /// fewer, or must be read as a whole. It must be read as a whole if models lack touched properties, if a migration
  /// may have moved touched objects, if rows are damaged or missing, if it reverts transactions of the log, or if
  /// journals undo groups in the rows.
  func unreadDraft(
    _ draft: JournalTopic, _ view: View, _ map: SchemaMap, _ source: DraftSource
  ) throws(StorageError) -> DraftImage? {
    guard let row = try DraftHeaderRow(draft, view, tables.drafts) else { return nil }
    let summary = row.summary
    guard !summary.hasReversals, summary.lostRows == 0, summary.rowCount > source.limit, summary.isKnown(to: map),
      !summary.mayTouchMoved(map.stored), try hasRows(of: summary, draft, view)
    else { return nil }
    let runs = try entries(draft, row.checkpointed, view)
    var state = DraftReplay(draft.name)
    state.begin(row)
    let touched = Self.objects(in: runs)
    for layer in summary.layers {
      guard try add(layer, of: touched, to: &state, draft, view) else { return nil }
      state.generation = max(state.generation, layer.generation)
    }
    state.apply(runs, try JournalMarks.consumed(draft, view, tables.journals))
    guard state.exists, !state.needsUnread, let image = try? state.image(map) else { return nil }
    generations.note(state.generation)
    return self.image(draft, image, state, touched, summary, map, source, runs)
  }

  private func image(
    _ draft: JournalTopic, _ partly: DraftImage, _ state: DraftReplay, _ touched: Set<ObjectAddress>,
    _ rows: DraftSummary, _ map: SchemaMap, _ source: DraftSource, _ runs: [JournalRun]
  ) -> DraftImage {
    var summary = rows
    // The marks of the rows that entries have left.
    summary.layers = rows.layers.filter { row in state.layers.contains { $0.generation == row.generation } }
    state.bytes.lend { lent in
      for layer in state.layers { for net in layer.net.nets { summary.add(net, layer.net, lent) } }
    }
    var read = ObjectMap<ObjectChange?>()
    for object in touched {
      guard let name = map.name(number: object.entity) else { continue }
      let id = AnyObjectID(name, object.uuid)
      read[id] = .some(partly.changes[id])
    }
    let last = state.layers.last { !$0.groups.isEmpty || $0.unreadGroups > 0 }
    let unread = UnreadChanges(
      draft, source, tables.drafts, summary, map, upTo: state.layers.last?.generation ?? 0, read: read)
    var image = DraftImage(
      header: state.header, generation: state.generation, changes: ObjectMap(),
      groupCount: state.layers.reduce(0) { $0 + $1.unreadGroups + $1.groups.count },
      lastGroupName: state.bytes.lend { lent in try? last?.groups.last?.decodedHead(lent).nameText },
      redoCount: state.layers.reduce(0) { $0 + $1.unreadRedo + $1.redo.count },
      steps: .unread(unread, hasLastGroup: last?.groups.isEmpty ?? false), map: map)
    image.problems = runs.compactMap(\.journal.damage) + state.problems
    return image
  }

  /// Whether there is a row of each kind and generation that the header counts. Whether all are there is found out when
  /// they are read.
  private func hasRows(
    of summary: DraftSummary, _ draft: JournalTopic, _ view: View
  ) throws(StorageError) -> Bool {
    for layer in summary.layers {
      for (kind, count) in [(DraftRowKind.change, layer.changes), (.undo, layer.groups), (.redo, layer.redo)] {
        let prefix = kind.prefix(draft.hash, layer.generation)
        if count > 0, try JournalRow.read(view, tables.drafts, prefix: prefix, atMost: 1).isEmpty { return false }
      }
    }
    return true
  }

  /// Adds a layer with the net changes of these objects, and none of its groups. False if one of them is damaged.
  private func add(
    _ row: DraftSummary.Layer, of touched: Set<ObjectAddress>, to state: inout DraftReplay, _ draft: JournalTopic,
    _ view: View
  ) throws(StorageError) -> Bool {
    var layer = DraftReplay.Layer(generation: row.generation)
    (layer.unreadGroups, layer.unreadRedo) = (row.groups, row.redo)
    state.layers.append(layer)
    for object in touched {
      let key = DraftRowKind.key(object, draft.hash, row.generation)
      guard let value = try JournalRow.value(key, view, tables.drafts) else { continue }
      let isSound = value.withUnsafeBytes { value in
        (try? state.add(DraftRows.content(of: value), of: object, to: row.generation)) != nil
      }
      if !isSound { return false }
    }
    return true
  }

  /// The objects that entries edit.
  private static func objects(in runs: [JournalRun]) -> Set<ObjectAddress> {
    var objects: Set<ObjectAddress> = []
    for run in runs {
      run.journal.scan.bytes.lend { bytes in
        for entry in run.entries where entry.kind == .edited {
          if let object = try? edited(UnsafeRawBufferPointer(rebasing: bytes[entry.body])) { objects.insert(object) }
        }
      }
    }
    return objects
  }

  /// The object of an entry about an edit.
  private static func edited(_ entry: UnsafeRawBufferPointer) throws(MalformedBytes) -> ObjectAddress {
    var reader = ByteReader(entry)
    _ = try reader.varint("a generation")
    _ = try GroupHead(&reader)
    return try DraftStep(UnsafeRawBufferPointer(rebasing: entry[reader.offset...])).change.object
  }
}
