/// Everything that can go wrong below the event store, with the operation and the path where it happened.
/// Indirect, so that a typed throw costs one pointer.
package indirect enum LMDBError: Error, Equatable {
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
  case newerFormat(version: Int, Site)
  case foreignPageSize(found: Int, Site)
  case foreignArchitecture(Site)
  case fileTruncated(expectedBytes: Int, actualBytes: Int, Site)
  case fileDeleted(Site)
  case busy(Site)
  case symbolicLink(name: String, Site)

  // The environment's state
  case panic(Site)
  case badReaderSlot(Site)
  case lockFileIncompatible(Site)
  case closed(Site)
  case forked(Site)
  case alreadyOpenDifferently(difference: String, Site)
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

  /// What was being done, and to which directory.
  package struct Site: Equatable, Sendable {
    package let operation: Operation
    package let path: String

    package init(_ operation: Operation, _ path: String) {
      self.operation = operation
      self.path = path
    }
  }

  @frozen package enum Operation: String, Sendable {
    case open, openTables, close, beginRead, beginWrite, commit, get, put, append, insert, delete, removeAll
    case openCursor, moveCursor, statistics, checkFile, setMapSize, flush
  }
}

/// An error type that a transaction's body may throw: LMDB's own failures are folded into it.
package protocol LMDBErrorConvertible: Error {
  init(_ error: LMDBError)
}

extension LMDBError: LMDBErrorConvertible {
  package init(_ error: LMDBError) {
    self = error
  }
}
