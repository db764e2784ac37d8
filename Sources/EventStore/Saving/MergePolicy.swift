import RepriseObjectModel

/// How a save resolves conflicts.
///
/// Pass it to `save`, for example `try await context.save(merging: .mine)`. The store applies the policy within the
/// commit, so no other save comes in between; a child context applies it in the parent. Under every policy, changes to
/// different properties are merged. A change that an attribute's ``MergeRule`` settles is not a conflict.
public enum MergePolicy: Sendable {
  /// The save throws ``SaveError/refused(_:)`` with all conflicts and writes nothing. The default.
  case error
  /// Your values win, property by property.
  ///
  /// If another save deleted an object that you changed, your save restores the object with its last values and your
  /// changes. The object gets its members back, too. The deletion emptied their references, removed their pairs, or
  /// deleted them by the delete rule `cascade`. A member that you removed yourself stays removed. A member that another
  /// save deleted separately stays deleted, and a reference that another save has set since stays as it is. If
  /// `TransactionLog.retain` dropped the last values of the object, the save throws ``Conflict/Kind/unrestorable``.
  ///
  /// Your deletions take effect. If another save has added a reference to an object that you deleted, the delete rule
  /// applies to the referring object. If you refer to an object that another save deleted, the reference becomes `nil`.
  /// If you changed a pair of a many-to-many, and another save deleted one of its objects, the pair stays deleted.
  case mine
  /// The saved values win, property by property, and the rest of your changes is saved.
  ///
  /// If another save changed an object that you deleted, the object stays, and so do the objects that were deleted
  /// because of it. If another save deleted an object with the delete rule `cascade`, the save drops new objects of
  /// yours that belong to it.
  case theirs
  /// An object in conflict is saved as your context shows it, including properties that only the other save changed.
  /// Otherwise like ``mine``.
  case overwrite
  /// An object in conflict stays as the other save left it. The save drops all your changes to this object, including
  /// changes without a conflict. It also drops a new object that refers to an object that another save deleted.
  /// Otherwise, this works like ``theirs``.
  case rollBack
  /// A closure decides each conflict, given base, mine and theirs.
  ///
  /// For a root context the closure runs on the thread that commits, and blocks every other save. So it must be quick,
  /// and must not save or wait. It may run again for the same conflict if a commit is retried. If a conflict comes up
  /// again in a save after the closure has decided it, the save throws with the conflict.
  case custom(@Sendable (Conflict) -> Conflict.Decision)
}

extension Conflict {
  /// The decision of a ``MergePolicy/custom(_:)`` closure about one conflict.
  public enum Decision: Hashable, Sendable {
    /// The save throws with the conflict.
    case refuse
    /// Like ``MergePolicy/mine``.
    case mine
    /// Like ``MergePolicy/theirs``.
    case theirs
    /// The property gets this value. If the conflict is not about a property, the decision is like ``mine``.
    case value(PropertyValue)
  }
}
