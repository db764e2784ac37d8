extension Environment {
  package struct Options: Sendable {
    /// Address space in bytes, not disk: the file grows only as pages are written, and a full map grows automatically.
    package var mapSize: Int = Options.defaultMapSize
    /// Reader slots, shared by all processes. The first one to open decides.
    package var maxReaders: Int = 1024
    package var tables: [String]
    /// Tables that are made with the file, and opened where they are used: ``LazyTable``.
    package var lazyTables: [String] = []
    /// Makes the table of after-images with the tables of a new file. A file that has this table always uses it.
    package var makesAfterImages = false
    /// A row whose first 16 bytes differ between any two contents of the file, if there is one. It detects a file that
    /// was replaced by another one with the same number of commits.
    package var tellingRow = RowName.none
    /// For tests: makes no flush, so a power cut may destroy the file.
    package var isUnflushed = false
    package var createIfMissing = true
    /// Whether the file is known never to have been written to, so that an incomplete one is created again.
    package var isUnfinished = false
    /// Creates missing tables even in a file that has tables. If false, only in a file without tables, so that a
    /// foreign database is left as it is.
    package var addsTables = true
    package var readOnly = false
    /// Checks every page before the file is mapped, and refuses a file that LMDB must not trust. O(file).
    package var checksStructure = false
    /// Lets the system read ahead: better for scans of a file that fits in memory, worse for random reads.
    package var readAhead = false
    /// The mode of created files, independent of the process's umask.
    package var fileMode: UInt32 = 0o600
    /// How long resizing the map waits for the transactions of this process, in milliseconds.
    package var resizeTimeout: Int = 5000
    /// How long a write waits for a process that writes and shows no sign of life, in milliseconds.
    package var writerTimeout: Int = 30_000
    /// Whether opening may write: make the tables of a new file, and repeat an interrupted commit. If false, opening
    /// throws `tableMissing` for a file that needs this, and does not wait for another process to write it.
    package var makesTables = true

    package init(tables: [String]) {
      self.tables = tables
    }

    package static var defaultMapSize: Int { Int.bitWidth == 64 ? 1 << 40 : 1 << 29 }

    /// The first of these options that an environment opened with `others` does not satisfy; nil if it satisfies all.
    func difference(from others: Options) -> String? {
      if readOnly != others.readOnly { return "it is open \(others.readOnly ? "read-only" : "for writing")" }
      if isUnflushed != others.isUnflushed { return "it is open \(others.isUnflushed ? "without" : "with") flushes" }
      let missing = Set(tables).subtracting(others.tables).sorted()
      return missing.isEmpty ? nil : "it is open without the tables \(missing.joined(separator: ", "))"
    }
  }
}
