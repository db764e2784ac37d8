/// Which versions of an object have a **keyframe** in the log: the whole record, so that reading a past version begins
/// there instead of at the head.
///
/// They stand where long blocks end (``VersionPointers``), because the search for any version passes the ends of all
/// blocks that it lies in. A larger record has longer blocks between its keyframes, so that they add no more than so
/// many bytes a version to the log, however large the object is.
package struct KeyframeSpacing: Equatable, Sendable {
  /// The fewest versions of a block that ends with one.
  package var versions: UInt64 = 31
  /// What they may add to the log, in bytes for each version.
  package var bytes: UInt64 = 32
  /// What those of one transaction may add: more are left out.
  package var bytesOfTransaction = 8 << 20

  package init() {}

  /// Whether the record of a version is to be kept.
  ///
  /// - Parameter size: Of the record, in bytes.
  func includes(version: UInt64, size: Int) -> Bool {
    if version < versions { return false }
    let block = VersionPointers.blocks(of: version).last
    // Of the versions, two in a block's length end blocks as long or longer.
    return block >= versions && UInt64(size) * 2 / block < bytes
  }
}
