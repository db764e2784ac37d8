extension Environment {
  package struct Options: Sendable {
    /// Address space in bytes, not disk: the file grows only as pages are written, and the map by itself when it is
    /// full.
    package var mapSize: Int = Options.defaultMapSize
    /// Reader slots, shared by all processes; the first one to open decides.
    package var maxReaders: Int = 1024
    package var tables: [String]
    package var durability: Durability = .full
    package var createIfMissing = true
    /// The caller knows that nobody has written to the file yet, so one that could not be made whole is made anew.
    package var isUnfinished = false
    /// Makes missing tables in a file that has others. False: only in a file that has none, so that somebody else's
    /// database is left as it is.
    package var addsTables = true
    package var readOnly = false
    /// Looks at every page before the file is mapped, and refuses one that LMDB must not trust. O(file).
    package var checksStructure = false
    /// Let the system read ahead: better for scans of a file that fits in memory, worse for random reads.
    package var readAhead = false
    /// Of files that are made, whatever the process's mask says.
    package var fileMode: UInt32 = 0o600
    /// How long changing the map waits for the transactions of this process, in milliseconds.
    package var resizeTimeout: Int = 5000

    package init(tables: [String]) {
      self.tables = tables
    }

    package static var defaultMapSize: Int { Int.bitWidth == 64 ? 1 << 40 : 1 << 29 }

    /// What of these options an environment that was opened with `others` does not give; nil if it gives all.
    func difference(from others: Options) -> String? {
      if readOnly != others.readOnly { return "it is open \(others.readOnly ? "read-only" : "for writing")" }
      if durability != others.durability { return "it is open with durability \(others.durability)" }
      let missing = Set(tables).subtracting(others.tables).sorted()
      return missing.isEmpty ? nil : "it is open without the tables \(missing.joined(separator: ", "))"
    }
  }

  package enum Durability: Sendable {
    /// A commit that has returned survives a power cut. Two flushes.
    case full
    /// A power cut may lose the last commit, never damage the file. One flush.
    case relaxed
    /// For tests: a power cut may destroy the file.
    case unflushed
  }
}
