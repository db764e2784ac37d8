/// The objects that an index forbids to have the same values in all of its columns. A stricter rule compares greater.
@usableFromInline package enum Uniqueness: Hashable, Comparable, Sendable {
  /// No objects: the index only finds and sorts.
  case none
  /// Any two objects, unless one of the values is nil: nil does not equal nil.
  case nilsDiffer
  /// Any two objects: nil equals nil.
  case nilsAreEqual
}
