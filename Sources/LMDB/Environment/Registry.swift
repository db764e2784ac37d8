import RepriseSystem

/// The environments of this process. LMDB's file locks belong to the process. A second environment on the same files
/// would silently drop the locks of the first. So would opening and closing the files once more.
enum Registry {
  // A class: arrays of objects share their metadata, which exists when a process starts.
  private final class Entry {
    let identity: FileIdentity
    /// Nil while it is being opened, and between its last release and the end of its close.
    weak var environment: Environment?
    let forkGeneration: Int

    init(identity: FileIdentity, environment: Environment?, forkGeneration: Int) {
      self.identity = identity
      self.environment = environment
      self.forkGeneration = forkGeneration
    }
  }

  enum Claim {
    case opened(Environment)
    /// The caller must open it, and then call `fill` or `release`.
    case claimed
    case busy
  }

  /// An array, as they are few, and the metadata of a dictionary would be instantiated at each start of a process.
  private static let entries = Guarded<[Entry]>([])

  static func claim(_ identity: FileIdentity) -> Claim {
    let generation = ForkGuard.current()
    return entries.withLock { entries in
      if let entry = entries.first(where: { $0.identity == identity }), entry.forkGeneration == generation {
        guard let environment = entry.environment else { return .busy }
        return .opened(environment)
      }
      put(Entry(identity: identity, environment: nil, forkGeneration: generation), into: &entries)
      return .claimed
    }
  }

  /// Whether this process has other directories open.
  static func hasOthers(than identity: FileIdentity) -> Bool {
    entries.withLock { $0.contains { $0.identity != identity } }
  }

  /// An environment of another directory with the same data file, through a link.
  static func other(than identity: FileIdentity, withData data: FileIdentity) -> Environment? {
    let generation = ForkGuard.current()
    // Released outside the lock, which the deinit of an environment takes.
    let others = entries.withLock { entries in
      entries.compactMap {
        $0.forkGeneration == generation && $0.identity != identity ? $0.environment : nil
      }
    }
    return others.first { $0.dataIdentity == data }
  }

  static func fill(_ identity: FileIdentity, _ environment: Environment) {
    entries.withLock { entries in
      put(
        Entry(identity: identity, environment: environment, forkGeneration: environment.forkGeneration), into: &entries)
    }
  }

  private static func put(_ entry: Entry, into entries: inout [Entry]) {
    if let place = entries.firstIndex(where: { $0.identity == entry.identity }) {
      entries[place] = entry
    } else {
      entries.append(entry)
    }
  }

  static func release(_ identity: FileIdentity) {
    entries.withLock { $0.removeAll { $0.identity == identity } }
  }
}
