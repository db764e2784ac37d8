#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The users of the system who may open a new store. An existing store keeps its access.
public enum StoreAccess: Hashable, Sendable {
  /// Only the user whose process creates the store.
  case owner
  /// The user whose process creates the store, and the members of the directory's group. Members read and write
  /// everything that is saved, and drafts and screens after a checkpoint. The journal of a process stays private to its
  /// user.
  case group
}

extension StoreAccess {
  /// The access given by the mode of a store's data file.
  package init(_ mode: mode_t) { self = mode & 0o060 == 0o060 ? .group : .owner }

  package var fileMode: mode_t {
    switch self {
    case .owner: 0o600
    case .group: 0o660
    }
  }

  /// With the set-group-ID bit, so that new files get the directory's group instead of the process's.
  package var directoryMode: mode_t {
    switch self {
    case .owner: 0o700
    case .group: 0o2770
    }
  }
}
