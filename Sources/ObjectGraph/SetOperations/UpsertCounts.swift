/// The effect of an upsert on one object.
public enum UpsertOutcome: Equatable, Sendable {
  /// No object had the unique values, so the upsert inserted one.
  case inserted
  /// An object had the unique values and changed.
  case updated
  /// An object had the unique values and all other assigned values.
  case unchanged
}

/// The effects of an upsert of several elements.
public struct UpsertCounts: Equatable, Sendable {
  /// The number of elements that inserted an object.
  public internal(set) var inserted = 0
  /// The number of elements that changed an object, including objects that an earlier element inserted or changed.
  public internal(set) var updated = 0
  /// The number of elements that changed nothing.
  public internal(set) var unchanged = 0

  static func += (sum: inout UpsertCounts, other: UpsertCounts) {
    sum.inserted += other.inserted
    sum.updated += other.updated
    sum.unchanged += other.unchanged
  }
}

/// The progress of an upsert in several saves.
public struct UpsertProgress: Equatable, Sendable {
  /// The effects of the elements saved so far.
  public let counts: UpsertCounts
  /// The number of elements saved so far, and the number of saves.
  public let batches: BatchProgress
}
