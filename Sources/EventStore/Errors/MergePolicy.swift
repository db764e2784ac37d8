import RepriseObjectModel

/// What a save does where others changed what it changes too.
///
/// A policy is followed where the save takes place: in the commit, of a root's save; so nobody can come in between.
/// Whatever it is, changes to different properties are put together, and what an attribute's ``MergeRule`` settles is
/// no conflict.
public enum MergePolicy: Sendable {
  /// The save is refused with all conflicts, and nothing changes. What contexts begin with.
  case error
  /// Your values win, property by property. An object that they deleted and you changed is there again, with the
  /// values that it had last and yours above them. Your deletions are carried out, and what they made refer to a
  /// deleted object follows the delete rule. A reference to what they deleted becomes `nil`.
  case mine
  /// Their values win, property by property; the rest of your changes is saved. An object that they changed and you
  /// deleted stays, with what went because of it. A new object of yours goes where it belongs to one that they deleted
  /// and the delete rule is `cascade`.
  case theirs
  /// An object in conflict is saved as this context shows it, also where only they changed it. Otherwise as
  /// ``mine``.
  case overwrite
  /// An object in conflict is left as they saved it: all your changes to it are dropped, also those that nobody
  /// contradicts; a new one that refers to what they deleted is dropped. Otherwise as ``theirs``.
  case rollBack
  /// Each conflict is decided by a closure, which is given base, mine and theirs.
  ///
  /// It runs where the save takes place: for a root on the store's writer, holding up every other save, so it must be
  /// quick and must not save or wait. It may be asked again about the same conflict when a commit is repeated, and what
  /// it says about something that it has decided before in the same save is not carried out: that conflict is refused.
  case custom(@Sendable (Conflict) -> Conflict.Decision)
}

extension Conflict {
  /// What is to become of a conflict.
  public enum Decision: Hashable, Sendable {
    /// The save is refused with it.
    case refuse
    /// As under ``MergePolicy/mine``.
    case mine
    /// As under ``MergePolicy/theirs``.
    case theirs
    /// The property has this value. Where the conflict is not about a property, as ``mine``.
    case value(PropertyValue)
  }
}
