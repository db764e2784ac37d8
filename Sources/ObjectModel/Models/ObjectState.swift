/// The state of an object in its context.
public enum ObjectState: Hashable, Sendable {
  /// The object was created, and is in no context yet: it has an ID and holds its own values.
  case detached
  /// The object was inserted in this context or one of its parents, and is not in the log yet.
  case inserted
  /// The object is in the log, as this context sees it.
  case live
  /// The object is deleted, as this context sees it, and keeps its last values.
  case deleted
  /// The object's record, or the value of an attribute, could not be read.
  ///
  /// If the record is unreadable, all attributes have their defaults, and the context cannot save until `refresh()`. If
  /// a stored value is not valid for the type of its attribute, only this attribute has its default. The stored value
  /// stays. An assignment to this attribute is not saved, because the new value may be computed from the default; see
  /// `readErrors`.
  ///
  /// If damage to an index or a link hides an object, a list or a relationship has a placeholder with a new ID instead.
  /// A placeholder ignores assignments, and cannot be related.
  case unreadable
}
