import RepriseObjectModel

/// The record of a log whose beginning `retain` has dropped. Verification of the log starts from it.
package struct CompactionRecord: Equatable, Sendable {
  /// The first position that remains.
  package var floor: Position
  /// The hash of the transaction before the floor.
  package var hash: Digest
  /// SHA-256 over the state before the floor. For each object, by ascending key: its key, the size of its fields (four
  /// bytes, little-endian) and its fields.
  package var base: Digest
  package var policy: Policy

  /// The retention policy that was requested.
  package enum Policy: Equatable, Sendable {
    /// Keeps everything from this position on.
    case position(Position)
    /// Keeps transactions younger than this many microseconds.
    case age(UInt64)
  }

  package init(floor: Position, hash: Digest, base: Digest, policy: Policy) {
    self.floor = floor
    self.hash = hash
    self.base = base
    self.policy = policy
  }
}

extension ByteWriter {
  package mutating func compaction(_ record: CompactionRecord) {
    position(record.floor)
    digest(record.hash)
    digest(record.base)
    switch record.policy {
    case .position(let position):
      append(1)
      self.position(position)
    case .age(let age):
      append(2)
      varint(age)
    }
  }
}

extension ByteReader {
  package mutating func compaction() throws(MalformedBytes) -> CompactionRecord {
    let floor = try position()
    guard floor > 0 else { throw fail("a position") }
    let hash = try digest("a transaction's hash")
    let base = try digest("a digest of the base")
    let tag = try byte("a policy")
    let amount = try varint("a policy's number")
    let policy: CompactionRecord.Policy
    switch tag {
    case 1: policy = .position(Position(amount))
    case 2: policy = .age(amount)
    default: throw fail("a policy")
    }
    return CompactionRecord(floor: floor, hash: hash, base: base, policy: policy)
  }
}
