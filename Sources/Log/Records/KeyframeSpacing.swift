/// Which versions of an object have a **keyframe** in the log: the whole record. Reading a past version then begins
/// there instead of at the head.
///
/// Keyframes are at the ends of long blocks (``VersionPointers``), because the search for a version passes the ends of
/// all blocks that contain it. A larger record has longer blocks between its keyframes. So keyframes add at most
/// ``bytes`` per version to the log, for objects of any size.
package struct KeyframeSpacing: Sendable {
  /// The fewest versions of a block that ends with a keyframe.
  package var versions: UInt64 = 31
  /// The most that keyframes may add to the log, in bytes for each version.
  package var bytes: UInt64 = 32
  /// The most that the keyframes of one transaction may add. Further ones are left out.
  package var bytesOfTransaction = 8 << 20

  package init() {}

  /// Whether a version gets a keyframe.
  ///
  /// - Parameter size: Of the record, in bytes.
  func includes(version: UInt64, size: Int) -> Bool {
    if version < versions { return false }
    let block = VersionPointers.blocks(of: version).last
    // Of as many versions as a block has, two end a block of this length or a longer one.
    return block >= versions && UInt64(size) * 2 / block < bytes
  }
}
