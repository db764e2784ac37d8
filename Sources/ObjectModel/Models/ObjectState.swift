/// Where an object stands in its context.
public enum ObjectState: Hashable, Sendable {
  /// Made, and in no context yet. It has its ID, and holds its values itself.
  case detached
  /// Inserted in this context, or in one below it, and not in the log yet.
  case inserted
  /// In the log, as this context sees it.
  case live
  /// Deleted, as this context sees it. It reads with its last values.
  case deleted
  /// Its record could not be read: it reads with default values, and its context cannot be saved until `refresh()`. Or
  /// the value of an attribute that was read is none of the attribute's type: that one reads with its default, stays as
  /// it is stored, and takes no assignment that may come of the default; see `readErrors`.
  case unreadable
}
