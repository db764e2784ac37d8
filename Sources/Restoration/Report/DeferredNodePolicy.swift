/// For how long, and how many of, the nodes are kept in the archive that nothing visible needs, and that nobody asks
/// for.
///
/// What is over a limit is dropped with all below it, what was not used for longest first, and told in
/// ``RestorationReport/dropped``. Never dropped are uncommitted edits, and nodes with such; what is visible, was made,
/// or was listed by ``Restoration/children(of:)`` in this launch; and what this version of the library cannot read. A
/// node is used when it is made, by restore or by whoever asks for it, and with it those above it.
///
/// With a limit, all records are read after one restore a day: it costs the nodes of the archive, once restore has
/// returned. Each node that is made is written once a day. Without one, as by default, nothing of this is done.
public struct DeferredNodePolicy: Hashable, Sendable {
  /// For how long a node need not be used before it is dropped, by the wall clock, to a day or a thirty-second of it;
  /// `nil` for any time. Counted from the first launch with a policy.
  public var age: Duration?
  /// How many nodes there may be that were not even read; `nil` for any number.
  public var count: Int?
  /// How many bytes their states may have together; `nil` for any number.
  public var byteCount: Int?

  /// A policy; without limits by default.
  public init(age: Duration? = nil, count: Int? = nil, byteCount: Int? = nil) {
    self.age = age
    self.count = count
    self.byteCount = byteCount
  }

  var hasLimit: Bool { age != nil || count != nil || byteCount != nil }
}
