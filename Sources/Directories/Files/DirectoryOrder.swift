/// The order of the rows of a `DirectorySource`.
@nonexhaustive
public enum DirectoryOrder: Hashable, Sendable {
  /// By name, without case and with numbers by value, so "item 9" precedes "Item 10".
  ///
  /// Paths in subfolders are compared part by part.
  case name
  /// By the time of the last change.
  ///
  /// Files with the same time are ordered by name.
  case modified(newestFirst: Bool)

  var areInIncreasingOrder: @Sendable (DirectoryEntry, DirectoryEntry) -> Bool {
    switch self {
    case .name: Self.byName
    case .modified(let newestFirst):
      { one, other in
        if one.modified == other.modified { return Self.byName(one, other) }
        return (one.modified < other.modified) != newestFirst
      }
    }
  }

  private static func byName(_ one: DirectoryEntry, _ other: DirectoryEntry) -> Bool {
    one.sortKey != other.sortKey ? one.sortKey < other.sortKey : one.place.precedes(other.place)
  }
}
