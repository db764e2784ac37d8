/// The header of a record: the object's version, and pointers to its history in the log.
package struct RecordHeader: Equatable, Sendable {
  package var kind: RecordKind
  /// The number of transactions that changed the object.
  package var version: UInt64
  /// The position of the last version of each block (see ``VersionPointers``), ascending. The last one is the position
  /// of `version`.
  package var stack: [Position]

  package init(kind: RecordKind, version: UInt64, stack: [Position]) {
    self.kind = kind
    self.version = version
    self.stack = stack
  }
}

/// The byte after a record's checksum.
package enum RecordKind: UInt8, Equatable, Sendable {
  /// An object that exists.
  case object = 1
  /// A deleted object: no fields, only the pointers to its history. Its key has the ``ObjectKey/tombstoneBit``, so that
  /// scans of an entity's objects do not see it.
  case tombstone = 2

  /// Reads the kind of an intact record in the form of its table.
  package init(of record: some RandomAccessCollection<UInt8>) {
    let place = record.index(record.startIndex, offsetBy: Checksum.size)
    self = record[place] == Self.tombstone.rawValue ? .tombstone : .object
  }
}
