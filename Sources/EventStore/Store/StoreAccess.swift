#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Which users of the system may open a new store. A store that is there stays as it is.
public enum StoreAccess: Hashable, Sendable {
  /// The user whose process makes it, and nobody else.
  case owner
  /// The members of the group that the directory has, too: they read and write what is saved, and what was checkpointed
  /// of drafts and screens. The journal of a process stays its user's alone.
  case group
}

extension StoreAccess {
  /// What the mode of a store's data file says.
  init(_ mode: mode_t) { self = mode & 0o060 == 0o060 ? .group : .owner }

  var fileMode: mode_t {
    switch self {
    case .owner: 0o600
    case .group: 0o660
    }
  }

  /// With the bit by which what is made in it gets its group, and not that of the process.
  var directoryMode: mode_t {
    switch self {
    case .owner: 0o700
    case .group: 0o2770
    }
  }
}
