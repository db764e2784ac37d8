/// How long, and how many of, the nodes that are not restored are kept in the archive.
///
/// What is over a limit is dropped with all below it, and told in ``RestorationReport/dropped``. Never dropped are
/// uncommitted edits, and nodes with such; nodes that wait for a key, for their kind, or for a program that can read
/// them; nodes in quarantine; and nodes that were not restored for the first time, so that one launch without a network
/// costs nothing.
public struct KeptNodePolicy: Hashable, Sendable {
  /// In how many consecutive launches a node's factory may fail, or find nothing to restore, before the node is
  /// dropped; `nil` for any number. Only launches in which the scene wrote something count.
  public var launches: Int?
  /// For how long that may last, by the wall clock; `nil` for any time.
  public var age: Duration?
  /// How many such nodes there may be, those below them included; those that failed longest are dropped first. `nil`
  /// for any number.
  public var count: Int?
  /// How many bytes their states may have together; `nil` for any number.
  public var byteCount: Int?

  /// A policy; five launches by default.
  public init(launches: Int? = 5, age: Duration? = nil, count: Int? = nil, byteCount: Int? = nil) {
    self.launches = launches
    self.age = age
    self.count = count
    self.byteCount = byteCount
  }
}
