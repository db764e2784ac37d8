/// Which objects an index keeps from having the same values in all of its columns. A stricter rule compares greater.
@usableFromInline package enum Uniqueness: Hashable, Comparable, Sendable {
  /// None: it is an index and nothing else.
  case none
  /// Any two, unless one of the values is nil: nil does not equal nil.
  case nilsDiffer
  /// Any two: nil equals nil.
  case nilsAreEqual
}
