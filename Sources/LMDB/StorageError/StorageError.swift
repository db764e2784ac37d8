/// The errors of an environment and its content, with the operation and the path: LMDB's failures, and rows that their
/// reader cannot read. It is the only error below a store's own calls. Each of these calls converts it once.
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
  /// A version before 0.1 wrote it, in another format.
  case prereleaseFormat(Site)
  /// Other machines share the data, so this program must not change it alone.
  case shared(Site)
  case foreignPageSize(found: Int, Site)
  case foreignArchitecture(Site)
  case fileTruncated(expectedBytes: Int, actualBytes: Int, Site)
  case fileDeleted(File, Site)
  /// The content of `data.mdb` was replaced while it was open.
  case fileReplaced(Site)
  case busy(Site)
  /// Another process has the environment open, and this is for nobody else to have it.
  case inUse(Site)
  /// LMDB identifies processes by their IDs, and another process with the same ID has the environment open.
  case sameProcessID(Int32, Site)
  /// Another process writes, or makes the files, and has shown no sign of life all that time. The system reports the
  /// thread that has the lock for writing, and maybe its process.
  case writerBusy(process: Int32?, thread: Int32?, milliseconds: Int, Site)
  /// The caller did not want to wait any longer.
  case cancelled(Site)
  /// Another descriptor of `lock.mdb` was closed in this process, which dropped the lock.
  case lockLost(Site)
  case symbolicLink(name: String, Site)

  // The rows
  /// A row is missing, or its reader cannot read it. The reason is part of a sentence.
  case damagedRow(table: String, key: [UInt8], reason: String, Site)
  /// The table ends with row `last`, though rows up to `saved` were saved.
  case rowsLost(table: String, last: UInt64, saved: UInt64, Site)
  /// Row `row` belongs to the dropped beginning of the table, which now begins with row `first`.
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

  /// The operation and its directory.
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
  /// For a copy: the same failure with the target's path, if the target can have caused it.
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
  /// Runs `body`, and converts its failure into this error. For the calls that form the border between the storage and
  /// its users.
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
