/// How long, and how many, deferred nodes stay in the archive.
///
/// A deferred node is a node in the archive that nothing visible needs and that the program has not asked for. If nodes
/// exceed a limit, the library drops the least recently used ones first, each with all nodes below it.
/// ``RestorationReport/dropped`` lists the dropped nodes. A node is used when it is made, together with its ancestors.
///
/// The library always keeps nodes with uncommitted edits, and nodes that this version of the library cannot read. It
/// also keeps nodes that were visible, made, or listed by ``Restoration/children(of:)`` in this launch.
///
/// Without a limit, which is the default, the policy costs nothing. With a limit, at most one restore a day reads all
/// records of the archive, after it has returned. Each node that is made is then written at most once a day.
public struct DeferredNodeRetention: Hashable, Sendable {
  /// How long a node may stay unused, by the wall clock, or `nil` for any time.
  ///
  /// Accurate to a day, or to 1/32 of the age if that is longer. The first launch with a policy starts the count. The
  /// clock of one launch alone drops no node. For example, after a holiday as long as the age, only the second launch
  /// drops the nodes that were unused before.
  public var age: Duration?
  /// How many unread deferred nodes the archive may have, or `nil` for any number.
  public var count: Int?
  /// How many bytes the states of the unread deferred nodes may have together, or `nil` for any number.
  public var byteCount: Int?

  /// Makes a policy, by default without limits.
  public init(age: Duration? = nil, count: Int? = nil, byteCount: Int? = nil) {
    self.age = age
    self.count = count
    self.byteCount = byteCount
  }

  var hasLimit: Bool { age != nil || count != nil || byteCount != nil }
}
