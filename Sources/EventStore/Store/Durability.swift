import RepriseLMDB

/// The failures that a completed save survives.
///
/// In both modes the save survives the death of the process, and a power cut does not damage the store.
public enum Durability: Hashable, Sendable {
  /// The save survives a power cut, too. Costs two disk flushes per commit, which concurrent saves share.
  case full
  /// A power cut may lose the last transactions. Costs one disk flush per commit.
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
