/// Where the log has two earlier versions of an object: what makes any past version findable in O(log n) steps.
///
/// The versions of an object are 1, 2, 3 …, one for each transaction that touched it. They form blocks: the first v
/// versions are cut into blocks of 1, 3, 7, 15 … versions, the largest that fits each time, as 12 is 7 + 3 + 1 + 1. The
/// event that made version v keeps the position of version v−1, and of the version before the last block of v: the
/// *skip*. A block of 2n+1 is its last version behind two blocks of n, so going by the skip where it does not lead too
/// far, else to v−1, either leaves a block behind or halves it. Docs/Decisions tells why the lowest set bit of v would
/// not do.
package struct VersionPointers: Hashable, Sendable {
  /// The position of the version before; 0 for the first version.
  package var previous: Position
  /// The position of the version before the last block; 0 if that block is all.
  package var skip: Position

  package init(previous: Position, skip: Position) {
    self.previous = previous
    self.skip = skip
  }

  /// Of a first version, and of what is no object's event.
  package static var none: VersionPointers { VersionPointers(previous: 0, skip: 0) }

  /// The version that ``skip`` leads to; 0 is none.
  package static func skipped(from version: UInt64) -> UInt64 { version - blocks(of: version).last }

  /// How many of the positions in the stack of version `version - 1` stay when `version` comes on top.
  package static func kept(before version: UInt64) -> Int { blocks(of: version).count - 1 }

  /// How many blocks the versions up to this one form, and how many versions are in the last. `version` is less than
  /// the greatest number.
  package static func blocks(of version: UInt64) -> (count: Int, last: UInt64) {
    var rest = version
    var count = 0
    var size = largestBlock(in: version)
    while rest > 0 {
      while size > rest { size >>= 1 }
      rest -= size
      count += 1
    }
    return (count, size)
  }

  static func largestBlock(in versions: UInt64) -> UInt64 {
    UInt64(1) << UInt64(63 - (versions + 1).leadingZeroBitCount) - 1
  }
}

/// A version of an object, and the position of the transaction that made it.
package struct VersionPlace: Hashable, Sendable {
  package var version: UInt64
  package var position: Position

  package init(version: UInt64, position: Position) {
    self.version = version
    self.position = position
  }
}

extension RecordHeader {
  /// The last version that was there at a position; `nil` if the object was not known yet, or where `pointers` ends.
  ///
  /// `pointers` reads those of the object's event at a position, O(log version) times.
  package func place<Failure: Error>(
    notAfter limit: Position, pointers: (Position) throws(Failure) -> VersionPointers?
  ) throws(Failure) -> VersionPlace? {
    guard let start = start(where: { $0.position > limit }) else { return place }
    return try walk(from: start, beyond: { $0.position > limit }, pointers)
  }

  /// Where a version was made; `nil` if there is none such, or where `pointers` ends.
  package func place<Failure: Error>(
    ofVersion wanted: UInt64, pointers: (Position) throws(Failure) -> VersionPointers?
  ) throws(Failure) -> VersionPlace? {
    guard wanted > 0, wanted <= version else { return nil }
    guard let start = start(where: { $0.version > wanted }) else { return place }
    return try walk(from: start, beyond: { $0.version > wanted }, pointers)
  }

  /// The head's own place.
  package var place: VersionPlace? { stack.last.map { VersionPlace(version: version, position: $0) } }

  /// The oldest version in the stack that lies beyond the wanted one.
  private func start(where isBeyond: (VersionPlace) -> Bool) -> VersionPlace? {
    var reached: UInt64 = 0
    var size = VersionPointers.largestBlock(in: version)
    for position in stack where reached < version {
      while size > version - reached { size >>= 1 }
      reached += size
      let place = VersionPlace(version: reached, position: position)
      if isBeyond(place) { return place }
    }
    return nil
  }

  private func walk<Failure: Error>(
    from start: VersionPlace, beyond isBeyond: (VersionPlace) -> Bool,
    _ pointers: (Position) throws(Failure) -> VersionPointers?
  ) throws(Failure) -> VersionPlace? {
    var place = start
    while place.version > 1 {
      guard let next = try pointers(place.position) else { return nil }
      let skipped = VersionPlace(version: VersionPointers.skipped(from: place.version), position: next.skip)
      let previous = VersionPlace(version: place.version - 1, position: next.previous)
      // Positions that do not sink are damage; without this a circle of them would never end.
      guard previous.position > 0, previous.position < place.position, skipped.position <= previous.position else {
        return nil
      }
      if skipped.version > 0, isBeyond(skipped) {
        place = skipped
      } else if isBeyond(previous) {
        place = previous
      } else {
        return previous
      }
    }
    return nil
  }
}
