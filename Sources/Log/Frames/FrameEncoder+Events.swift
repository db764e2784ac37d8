import RepriseObjectModel

extension FrameEncoder {
  /// Adds the event of an inserted object. `tombstone` is of an earlier object with the same ID.
  package mutating func inserted(
    _ uuid: UniqueID, _ fields: RecordFields, over tombstone: RecordReader? = nil, entity: UInt32
  ) {
    add(tombstone?.pointersOfNext ?? .none) { body in
      body.change(.inserted, ObjectAddress(entity: entity, uuid: uuid))
      body.append(fields.bytes)
    }
  }

  /// Adds the event of an update. Returns `false` for an empty update, which has no event.
  @discardableResult
  package mutating func updated(_ uuid: UniqueID, _ update: RecordUpdate, _ entity: EntityMap) -> Bool {
    updated(uuid, update, entity: entity.number)
  }

  /// Like ``updated(_:_:_:)``, for an entity without a model in this process.
  @discardableResult
  package mutating func updated(_ uuid: UniqueID, _ update: RecordUpdate, entity: UInt32) -> Bool {
    if update.isEmpty { return false }
    add(update.record.pointersOfNext) { body in
      body.change(.updated, ObjectAddress(entity: entity, uuid: uuid))
      update.scratch.bytes.withUnsafeBytes { new in
        for edit in update.edits {
          body.field(edit.number, from: edit.old, to: UnsafeRawBufferPointer(rebasing: new[edit.new]))
        }
      }
    }
    return true
  }

  /// Adds the event of a deleted object, with all its fields, even fields that this process does not know.
  package mutating func deleted(_ uuid: UniqueID, _ record: RecordReader, entity: UInt32) {
    add(record.pointersOfNext) { body in
      body.change(.deleted, ObjectAddress(entity: entity, uuid: uuid))
      body.append(record.fields.bytes)
    }
  }

  /// Adds the event of an object that was merged into another one of its entity. The object is deleted, and its ID then
  /// means the other one.
  package mutating func merged(_ uuid: UniqueID, into winner: UniqueID, _ record: RecordReader, entity: UInt32) {
    add(.mergedInto, record.pointersOfNext) { body in
      body.object(ObjectAddress(entity: entity, uuid: uuid))
      body.uuid(winner)
      body.append(record.fields.bytes)
    }
  }

  /// Adds the event of an added or removed edge, which counts as a change of its source object. All events of one
  /// object in a transaction are adjacent, have the same pointers and make one version.
  package mutating func edge(_ edge: EdgeChange, _ pointers: VersionPointers) {
    add(edge.isAdded ? .edgeAdded : .edgeRemoved, pointers) { body in
      body.object(ObjectAddress(entity: edge.entity, uuid: edge.source))
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
package struct EdgeChange: Equatable, Sendable {
  package var isAdded: Bool
  package var entity: UInt32
  package var source: UniqueID
  package var property: UInt32
  package var target: UniqueID
  /// The sort key of the edge in an ordered relationship. Empty in an unordered one.
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
