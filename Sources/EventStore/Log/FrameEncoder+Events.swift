import RepriseObjectModel

extension FrameEncoder {
  /// An object began to exist. `tombstone` if its ID was in use before.
  package mutating func inserted(
    _ uuid: UniqueID, _ fields: RecordFields, over tombstone: RecordReader? = nil, entity: UInt32
  ) {
    add(.inserted, tombstone?.pointersOfNext ?? .none) { body in
      body.object(entity, uuid)
      body.append(fields.bytes)
    }
  }

  /// Properties of an object changed. An empty update is not written; `false` then.
  @discardableResult
  package mutating func updated(_ uuid: UniqueID, _ update: RecordUpdate, _ entity: EntityMap) -> Bool {
    updated(uuid, update, entity: entity.number)
  }

  /// As above, of an entity that this process need not know.
  @discardableResult
  package mutating func updated(_ uuid: UniqueID, _ update: RecordUpdate, entity: UInt32) -> Bool {
    if update.isEmpty { return false }
    add(.updated, update.record.pointersOfNext) { body in
      body.object(entity, uuid)
      update.scratch.bytes.withUnsafeBytes { new in
        for edit in update.edits {
          body.change(edit.number, from: edit.old, to: UnsafeRawBufferPointer(rebasing: new[edit.new]))
        }
      }
    }
    return true
  }

  /// An object ceased to exist; the event keeps all its fields, known to this process or not.
  package mutating func deleted(_ uuid: UniqueID, _ record: RecordReader, entity: UInt32) {
    add(.deleted, record.pointersOfNext) { body in
      body.object(entity, uuid)
      body.append(record.fields.bytes)
    }
  }

  /// An object ceased to exist because another of its entity is the same thing: its ID means that one from now on.
  package mutating func merged(_ uuid: UniqueID, into winner: UniqueID, _ record: RecordReader, entity: UInt32) {
    add(.mergedInto, record.pointersOfNext) { body in
      body.object(entity, uuid)
      body.uuid(winner)
      body.append(record.fields.bytes)
    }
  }

  /// An edge came or went. Counts as a change of the object that it leads from; all events of one object in a
  /// transaction stand together, have the same pointers and make one version.
  package mutating func edge(_ edge: EdgeChange, _ pointers: VersionPointers) {
    add(edge.isAdded ? .edgeAdded : .edgeRemoved, pointers) { body in
      body.object(edge.entity, edge.source)
      body.varint(UInt64(edge.property))
      body.uuid(edge.target)
      body.sized(edge.order)
    }
  }

  package mutating func schema(_ change: SchemaChange) {
    add(.schema, .none) { $0.schemaChange(change) }
  }

  package mutating func compaction(_ record: CompactionRecord) {
    add(.compaction, .none) { $0.compaction(record) }
  }
}

/// An edge of a to-many relationship that no to-one stores.
package struct EdgeChange: Hashable, Sendable {
  package var isAdded: Bool
  package var entity: UInt32
  package var source: UniqueID
  package var property: UInt32
  package var target: UniqueID
  /// Where the edge stands among the others of an ordered relationship; empty in an unordered one.
  package var order: [UInt8]

  package init(
    isAdded: Bool, entity: UInt32, source: UniqueID, property: UInt32, target: UniqueID, order: [UInt8] = []
  ) {
    self.isAdded = isAdded
    self.entity = entity
    self.source = source
    self.property = property
    self.target = target
    self.order = order
  }
}

extension ByteWriter {
  fileprivate mutating func object(_ entity: UInt32, _ uuid: UniqueID) {
    varint(UInt64(entity))
    self.uuid(uuid)
  }

  /// One property's change: old and new whole, or what was spliced where that saves more than reading it costs.
  fileprivate mutating func change(
    _ number: UInt32, from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
  ) {
    if let splice = Splice(fromValue: old, toValue: new), splice.saves(over: old.count + new.count) {
      let form: ChangeForm = splice.isText ? .textSplice : .bytesSplice
      varint(UInt64(number) << 2 | form.rawValue)
      self.splice(splice)
    } else {
      varint(UInt64(number) << 2 | ChangeForm.set.rawValue)
      valueOrNothing(old)
      valueOrNothing(new)
    }
  }

  private mutating func valueOrNothing(_ raw: UnsafeRawBufferPointer) {
    if raw.isEmpty { append(ValueTag.nothing.rawValue) } else { append(raw) }
  }
}

extension Splice {
  /// Of two values with their tags; `nil` unless both are texts, or both bytes.
  init?(fromValue old: UnsafeRawBufferPointer, toValue new: UnsafeRawBufferPointer) {
    guard let tag = old.first.flatMap(ValueTag.init), tag == .string || tag == .bytes, new.first == tag.rawValue,
      let before = old.sizedPayload, let after = new.sizedPayload
    else { return nil }
    self.init(from: before, to: after, isText: tag == .string)
  }

  /// An event with whole values can be read alone, so a splice must be worth it.
  fileprivate func saves(over whole: Int) -> Bool {
    removed.count + inserted.count + 16 < whole
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes of a text or of bytes, behind tag and length.
  var sizedPayload: UnsafeRawBufferPointer? {
    var reader = ByteReader(self)
    guard (try? reader.byte()) != nil else { return nil }
    return try? reader.sized()
  }
}
