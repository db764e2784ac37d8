import RepriseLMDB

/// What a save that returned survives.
///
/// Either way it survives the death of the process, and a power cut never damages the store.
public enum Durability: Hashable, Sendable {
  /// A power cut too. Two flushes of the disk a commit; saves at the same time share them.
  case full
  /// A power cut may take back the last transactions. One flush a commit.
  case relaxed
}

extension Durability {
  var environmentDurability: Environment.Durability {
    switch self {
    case .full: .full
    case .relaxed: .relaxed
    }
  }
}
