import RepriseObjectModel

/// The key of an object's record: entity number and UUID, big-endian, 20 bytes without padding.
@frozen
@usableFromInline
package struct ObjectKey: BitwiseCopyable {
  @usableFromInline let words: (UInt32, UInt32, UInt32, UInt32, UInt32)

  @inlinable package init(entity: UInt32, uuid: UniqueID) {
    words = (
      entity.bigEndian, UInt32(truncatingIfNeeded: uuid.high >> 32).bigEndian,
      UInt32(truncatingIfNeeded: uuid.high).bigEndian, UInt32(truncatingIfNeeded: uuid.low >> 32).bigEndian,
      UInt32(truncatingIfNeeded: uuid.low).bigEndian
    )
  }

  package var bytes: [UInt8] { withUnsafeBytes(of: words) { [UInt8]($0) } }
}

/// A tombstone is in the same table, under a key with the highest bit of the entity number set. Scans and counts of an
/// entity's objects do not see it, but its pointers into the log stay.
extension ObjectKey {
  package static let size = 20
  package static let tombstoneBit = StoredEntity.limit

  /// The key of a deleted object's record.
  package init(tombstoneOf entity: UInt32, uuid: UniqueID) {
    self.init(entity: entity | Self.tombstoneBit, uuid: uuid)
  }

  /// Parses a key in the table. `nil` for the key of any chunk but the first.
  package init?(_ key: UnsafeRawBufferPointer) {
    guard key.count == Self.size else { return nil }
    let high = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
    let low = UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
    self.init(
      entity: UInt32(bigEndian: key.loadUnaligned(as: UInt32.self)), uuid: UniqueID(high: high, low: low))
  }

  /// The entity's number.
  package var entity: UInt32 { UInt32(bigEndian: words.0) & ~Self.tombstoneBit }

  /// Whether the key begins with this number of an entity, or of its tombstones.
  func isOf(_ number: UInt32) -> Bool { UInt32(bigEndian: words.0) == number }

  package var isTombstone: Bool { UInt32(bigEndian: words.0) & Self.tombstoneBit != 0 }

  @inlinable package var uuid: UniqueID {
    UniqueID(
      high: UInt64(UInt32(bigEndian: words.1)) << 32 | UInt64(UInt32(bigEndian: words.2)),
      low: UInt64(UInt32(bigEndian: words.3)) << 32 | UInt64(UInt32(bigEndian: words.4)))
  }
}
