/// How long, and how many, nodes that could not be restored stay in the archive.
///
/// If a node exceeds a limit, restore drops it with all nodes below it. ``RestorationReport/dropped`` lists them.
///
/// Restore always keeps nodes with uncommitted edits, and nodes in quarantine. It also keeps nodes that wait for a key,
/// for their kind, or for a program that can read them. A node that failed for the first time stays, too, so a single
/// launch without a network drops nothing.
public struct UnrestoredNodeRetention: Hashable, Sendable {
  /// In how many consecutive launches a node's factory may fail or find nothing, or `nil` for any number.
  ///
  /// If the node fails once more, restore drops it. A launch counts only if the scene wrote something.
  public var launches: Int?
  /// How long the failures may last, by the wall clock, or `nil` for any time.
  ///
  /// If the archive was last written longer ago than this, or if the first failure is in the future, a clock may be
  /// wrong. The time then starts again.
  public var age: Duration?
  /// How many unrestored nodes the archive may have, including the nodes below them, or `nil` for any number.
  ///
  /// Restore first drops the nodes that failed in the most launches.
  public var count: Int?
  /// How many bytes the states of unrestored nodes may have together, or `nil` for any number.
  public var byteCount: Int?

  /// Makes a policy, by default with a limit of five launches.
  public init(launches: Int? = 5, age: Duration? = nil, count: Int? = nil, byteCount: Int? = nil) {
    self.launches = launches
    self.age = age
    self.count = count
    self.byteCount = byteCount
  }
}
