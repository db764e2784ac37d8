/// What a record says of its object besides the values: how often it changed, and where the log has that.
package struct RecordHeader: Hashable, Sendable {
  package var kind: RecordKind
  /// How many transactions touched the object.
  package var version: UInt64
  /// The position of the last version of each block (see ``VersionPointers``), ascending; the last is that of
  /// `version`.
  package var stack: [Position]

  package init(kind: RecordKind, version: UInt64, stack: [Position]) {
    self.kind = kind
    self.version = version
    self.stack = stack
  }

  /// After one more transaction, at `position`.
  package func next(at position: Position, kind: RecordKind = .object) -> RecordHeader {
    let stack = stack.prefix(VersionPointers.kept(before: version + 1)) + [position]
    return RecordHeader(kind: kind, version: version + 1, stack: Array(stack))
  }

  /// What the event of the next version keeps.
  package var pointersOfNext: VersionPointers {
    let kept = VersionPointers.kept(before: version + 1)
    return VersionPointers(previous: stack.last ?? 0, skip: kept > 0 ? stack[kept - 1] : 0)
  }
}

/// The byte behind a record's checksum.
package enum RecordKind: UInt8, Hashable, Sendable {
  /// An object that exists.
  case object = 1
  /// One that was deleted: no fields, only where the log has its past. It stands under a key of its own
  /// (``ObjectKey/tombstoneBit``), so that a walk over the objects of an entity does not meet it.
  case tombstone = 2
}
