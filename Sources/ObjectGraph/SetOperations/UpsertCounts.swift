/// What an upsert did with one object.
public enum UpsertOutcome: Hashable, Sendable {
  /// No object had the unique values, so there is a new one.
  case inserted
  /// An object had them, and has changed.
  case updated
  /// An object had them, and everything else that was assigned.
  case unchanged
}

/// What an upsert of many did.
public struct UpsertCounts: Hashable, Sendable {
  /// How many elements made a new object.
  public internal(set) var inserted = 0
  /// How many elements changed an object, one that an earlier element made or changed included.
  public internal(set) var updated = 0
  /// How many elements changed nothing.
  public internal(set) var unchanged = 0

  static func += (sum: inout UpsertCounts, other: UpsertCounts) {
    sum.inserted += other.inserted
    sum.updated += other.updated
    sum.unchanged += other.unchanged
  }
}

/// How far an upsert in several saves has come.
public struct UpsertProgress: Hashable, Sendable {
  /// What the elements saved so far did.
  public let counts: UpsertCounts
  /// How many elements that were, in how many saves.
  public let batches: BatchProgress
}
