/// Pointers from one version of an object to two earlier ones in the log. They form a skip list that finds any past
/// version in O(log n) steps.
///
/// The versions of an object are 1, 2, 3 …, one for each transaction that changed it. They form blocks: the first v
/// versions are divided into blocks of 1, 3, 7, 15 … versions, always the largest that fits. For example, 12 is 7 + 3 +
/// 1 + 1. The event that made version v stores the position of version v−1, and the position of the version before the
/// last block of v: the *skip*. A block of 2n+1 versions is two blocks of n followed by one version. Each step uses the
/// skip if it does not overshoot, and otherwise goes to v−1. So each step leaves a block or halves it. Docs/Decisions
/// explains why the lowest set bit of v is no alternative.
@usableFromInline
package struct VersionPointers: Equatable, Sendable {
  /// The position of the previous version. 0 for the first version.
  package var previous: Position
  /// The position of the version before the last block. 0 if there is no earlier block.
  package var skip: Position

  package init(previous: Position, skip: Position) {
    self.previous = previous
    self.skip = skip
  }

  /// The pointers of a first version, and of events that are not about an object.
  package static var none: VersionPointers { VersionPointers(previous: 0, skip: 0) }

  /// The version that ``skip`` leads to. 0 for none.
  package static func skipped(from version: UInt64) -> UInt64 { version - blocks(of: version).last }

  /// How many positions in the stack of version `version - 1` remain when `version` is pushed.
  package static func kept(before version: UInt64) -> Int { blocks(of: version).count - 1 }

  /// The number of blocks that the versions up to this one form, and the size of the last. `version` must be less than
  /// `UInt64.max`.
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
package struct VersionPlace: Equatable, Sendable {
  package var version: UInt64
  package var position: Position

  package init(version: UInt64, position: Position) {
    self.version = version
    self.position = position
  }
}

extension RecordHeader {
  /// The latest version at a position. `nil` if the object did not exist yet, or if `pointers` returns `nil`.
  ///
  /// `pointers` reads the pointers of the object's event at a place, and may end the search with `nil`. It is called
  /// O(log version) times, with ever earlier places, and with the end of each block that contains the successor of the
  /// requested version.
  package func place<Failure: Error>(
    notAfter limit: Position, pointers: (VersionPlace) throws(Failure) -> VersionPointers?
  ) throws(Failure) -> VersionPlace? {
    // The oldest version in the stack that is too late.
    guard var place = places.first(where: { $0.position > limit }) else { return self.place }
    while place.version > 1 {
      guard let next = try pointers(place) else { return nil }
      let skipped = VersionPlace(version: VersionPointers.skipped(from: place.version), position: next.skip)
      let previous = VersionPlace(version: place.version - 1, position: next.previous)
      // Positions must descend: in damaged data, a cycle would never end.
      guard previous.position > 0, previous.position < place.position, skipped.position <= previous.position else {
        return nil
      }
      if skipped.version > 0, skipped.position > limit {
        place = skipped
      } else if previous.position > limit {
        place = previous
      } else {
        return previous
      }
    }
    return nil
  }

  /// The number of versions at or before a position that the stack shows. The wanted version is in the block after
  /// them.
  func versions(notAfter limit: Position) -> UInt64 { places.last { $0.position <= limit }?.version ?? 0 }

  /// The versions that the stack has, ascending.
  var places: [VersionPlace] {
    var places: [VersionPlace] = []
    var reached: UInt64 = 0
    var size = VersionPointers.largestBlock(in: version)
    for position in stack where reached < version {
      while size > version - reached { size >>= 1 }
      reached += size
      places.append(VersionPlace(version: reached, position: position))
    }
    return places
  }

  /// The place of the latest version.
  package var place: VersionPlace? { stack.last.map { VersionPlace(version: version, position: $0) } }
}
