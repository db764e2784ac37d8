import RepriseObjectModel

/// What a save does with conflicts.
///
/// A policy is applied where the save takes place, for a root context within the commit, so no other save can come in
/// between. Under every policy, changes to different properties are merged, and a change that an attribute's
/// ``MergeRule`` settles is not a conflict.
public enum MergePolicy: Sendable {
  /// The save is refused with all conflicts, and nothing changes. The default.
  case error
  /// Your values win, property by property. An object that they deleted and you changed is restored with its last
  /// values and your changes; if `TransactionLog.retain` dropped these values, the save is refused with
  /// ``Conflict/Kind/unrestorable``. Your deletions are carried out, and the delete rule applies to objects that they
  /// made refer to a deleted one. A reference to an object that they deleted becomes `nil`.
  case mine
  /// Their values win, property by property; the rest of your changes is saved. An object that they changed and you
  /// deleted stays, and so do the objects that were deleted because of it. A new object of yours is dropped if it
  /// belongs to one that they deleted and the delete rule is `cascade`.
  case theirs
  /// An object in conflict is saved as this context shows it, including properties that only they changed. Otherwise
  /// like ``mine``.
  case overwrite
  /// An object in conflict is left as they saved it: all your changes to it are dropped, even those not in conflict; so
  /// is a new object that refers to one that they deleted. Otherwise like ``theirs``.
  case rollBack
  /// A closure decides each conflict, given base, mine and theirs.
  ///
  /// It runs where the save takes place: for a root context on the store's writer, where it blocks every other save, so
  /// it must be quick and must not save or wait. It may be called again for the same conflict if a commit is retried. A
  /// second decision about the same thing within one save is not carried out: that conflict is refused.
  case custom(@Sendable (Conflict) -> Conflict.Decision)
}

extension Conflict {
  /// The decision about one conflict.
  public enum Decision: Hashable, Sendable {
    /// The save is refused with it.
    case refuse
    /// Like ``MergePolicy/mine``.
    case mine
    /// Like ``MergePolicy/theirs``.
    case theirs
    /// The property gets this value. If the conflict is not about a property, like ``mine``.
    case value(PropertyValue)
  }
}
