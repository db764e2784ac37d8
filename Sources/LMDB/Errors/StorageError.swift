/// Everything that can go wrong with an environment and what stands in it, with the operation and the path where it
/// happened: LMDB's failures, and rows that are not what their reader expects. The only error below a store's own
/// calls, each of which translates it once, for its callers.
///
/// Indirect, so that a typed throw costs one pointer.
@usableFromInline
package indirect enum StorageError: Error, Equatable {
  // The caller's input
  case keyExists(Site)
  case badValueSize(Site)
  case badTable(Site)
  case incompatibleTable(Site)
  case tableMissing(name: String, Site)
  case badTransaction(Site)

  // Limits
  case mapFull(Site)
  case tablesFull(Site)
  case readersFull(Site)
  case threadKeysFull(Site)
  case transactionFull(Site)
  case cursorFull(Site)
  case pageFull(Site)
  case mapResized(Site)
  case mapGrowthBlocked(liveTransactions: Int, Site)

  // The file
  case corrupted(Site)
  case damagedStructure(String, Site)
  case pageNotFound(Site)
  case notAnLMDBFile(Site)
  case versionMismatch(Site)
  case newerFormat(found: UInt32, supported: UInt32, Site)
  /// A version before 0.1 wrote it, in a format of its own.
  case prereleaseFormat(Site)
  case foreignPageSize(found: Int, Site)
  case foreignArchitecture(Site)
  case fileTruncated(expectedBytes: Int, actualBytes: Int, Site)
  case fileDeleted(File, Site)
  /// The content of `data.mdb` was replaced while it was open.
  case fileReplaced(Site)
  case busy(Site)
  /// Another process has the environment open, and this is for nobody else to have it.
  case inUse(Site)
  /// LMDB tells processes apart by their IDs, and another process with this one has the environment open.
  case sameProcessID(Int32, Site)
  /// Another process writes, or makes the files, and has shown no sign of life all that time. The system tells the
  /// thread that has the lock for writing, and maybe its process.
  case writerBusy(process: Int32?, thread: Int32?, milliseconds: Int, Site)
  /// The caller did not want to wait any longer.
  case cancelled(Site)
  /// Another descriptor of `lock.mdb` was closed in this process, which dropped the lock.
  case lockLost(Site)
  case symbolicLink(name: String, Site)

  // The rows
  /// A row is missing, or is not what its reader expects. The reason is part of a sentence.
  case damagedRow(table: String, key: [UInt8], reason: String, Site)
  /// The table ends with row `last`, though rows up to `saved` were saved.
  case rowsLost(table: String, last: UInt64, saved: UInt64, Site)
  /// Row `row` was dropped with the beginning of the table, which begins with row `first` now.
  case rowsDropped(table: String, row: UInt64, first: UInt64, Site)
  /// The tables are of a format that the reader does not know.
  case foreignContents(reason: String, Site)
  /// Rows are in an order of this locale that the reader does not make.
  case foreignOrder(locale: String, Site)

  // The environment's state
  case panic(Site)
  case badReaderSlot(Site)
  case lockFileIncompatible(Site)
  case closed(Site)
  case forked(Site)
  case alreadyOpenWithOtherOptions(difference: String, Site)
  case writeInsideWrite(Site)
  case readOnlyEnvironment(Site)
  case commitOutcomeUnknown(errno: Int32, Site)

  // The operating system
  case noSuchFile(Site)
  case notADirectory(Site)
  case permissionDenied(Site)
  case readOnlyFileSystem(Site)
  case networkFileSystem(Site)
  case diskFull(Site)
  case fileTooLarge(Site)
  case outOfMemory(Site)
  case tooManyOpenFiles(Site)
  case inputOutput(Site)
  case invalidArgument(Site)
  case system(errno: Int32, Site)

  /// A file of an environment.
  @usableFromInline package enum File: String, Sendable {
    case data = "data.mdb"
    case lock = "lock.mdb"
  }

  /// What was being done, and to which directory.
  @usableFromInline package struct Site: Equatable, Sendable {
    package let operation: Operation
    package let path: String

    package init(_ operation: Operation, _ path: String) {
      self.operation = operation
      self.path = path
    }
  }

  @frozen @usableFromInline package enum Operation: String, Sendable {
    case open, openTables, close, beginRead, beginWrite, commit, get, put, append, insert, delete, removeAll
    case openCursor, moveCursor, decode, statistics, checkFile, lockFile, setMapSize, flush, copy
  }
}

extension StorageError {
  /// Of a copy: a failure where it is written, if that is what failed.
  package func copying(to path: String) -> StorageError {
    let site = Site(.copy, path)
    return switch self {
    case .diskFull: .diskFull(site)
    case .fileTooLarge: .fileTooLarge(site)
    case .inputOutput: .inputOutput(site)
    default: self
    }
  }
}

/// An error type that a transaction's body may throw: the storage's failures are folded into it.
@usableFromInline
package protocol StorageErrorConvertible: Error {
  init(_ error: StorageError)
}

extension StorageErrorConvertible {
  /// Runs `body`, a failure of which becomes this error: for the calls where the storage ends and its users begin.
  @inline(__always)
  @inlinable package static func converting<R: ~Copyable>(_ body: () throws(StorageError) -> R) throws(Self) -> R {
    do throws(StorageError) { return try body() } catch { throw Self(error) }
  }
}

extension StorageError: StorageErrorConvertible {
  @usableFromInline package init(_ error: StorageError) {
    self = error
  }
}
