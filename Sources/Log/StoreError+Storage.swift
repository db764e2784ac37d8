import RepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension StoreError: StorageErrorConvertible {
  /// The error that a storage failure becomes for a user of the store.
  @usableFromInline package init(_ error: StorageError) {
    let path = error.site.path
    switch error {
    case .noSuchFile: self = .notFound(path: path)
    case .notADirectory: self = .notADirectory(path: path)
    case .permissionDenied: self = .permissionDenied(path: path)
    case .readOnlyFileSystem, .readOnlyEnvironment: self = .readOnly(path: path)
    case .diskFull, .fileTooLarge, .mapFull: self = .diskFull(path: path)
    case .notAnLMDBFile, .tableMissing, .incompatibleTable: self = .notAStore(path: path, reason: error.reason)
    case .symbolicLink, .versionMismatch:
      self = .notAStore(path: path, reason: "\(error.reason). \(error.advice.dropLast())")
    case .foreignContents(let reason, _): self = .notAStore(path: path, reason: reason)
    case .foreignOrder(let locale, _): self = .localeVersionMismatch(path: path, locale: locale)
    case .newerFormat(let found, let supported, _):
      self = .newerFormat(path: path, found: found, supported: supported)
    case .prereleaseFormat: self = .prereleaseFormat(path: path)
    case .shared: self = .sharesLog(path: path)
    case .fileTruncated(let expected, let actual, _):
      self = .fileTruncated(path: path, expected: expected, found: actual)
    case .damagedStructure(let reason, _), .damagedRow(_, _, let reason, _): self = .damaged(path: path, reason: reason)
    case .rowsLost(_, let last, let saved, _):
      self = .transactionsLost(path: path, last: Position(last), saved: Position(saved))
    case .rowsDropped(_, let row, let first, _):
      self = .truncated(path: path, position: Position(row), firstPosition: Position(first))
    case .corrupted, .pageNotFound, .cursorFull, .pageFull, .foreignPageSize:
      self = .damaged(path: path, reason: error.reason)
    case .fileDeleted(.data, _): self = .deleted(path: path, file: .data)
    case .fileDeleted(.lock, _): self = .deleted(path: path, file: .lock)
    case .fileReplaced: self = .replaced(path: path)
    case .writerBusy(let process, let thread, let milliseconds, _):
      self = .writerBusy(path: path, process: process, thread: thread, seconds: milliseconds / 1000)
    // Only openings and saves can be cancelled. A save throws its own error for that.
    case .cancelled: self = .migration(.cancelled(path: path))
    case .sameProcessID(let process, _): self = .sameProcessID(path: path, process: process)
    case .closed: self = .closed(path: path)
    case .panic, .commitOutcomeUnknown: self = .unusable(path: path, reason: error.reason)
    case .forked: self = .forked(path: path)
    case .inUse: self = .inUseElsewhere(path: path)
    case .readersFull: self = .tooManyReaders(path: path)
    case .alreadyOpenWithOtherOptions: self = .inUse(path: path)
    default:
      self = .system(
        path: path, operation: error.site.operation.rawValue, code: error.systemCode,
        message: error.systemCode == 0 ? "\(error.reason). \(error.advice.dropLast())" : error.reason)
    }
  }

  /// The next step after a failure with this `errno`, after a space. A message without a number has its own.
  static func advice(afterSystem code: Int32) -> String {
    switch code {
    case 0: ""
    case ELOOP, ENAMETOOLONG: " Check the path."
    case EINVAL: " Check the path and its file system, which must support memory maps and file locks."
    default: " Check the disk, the free memory and the limits of the process, then try again."
    }
  }
}

extension StorageError {
  /// A description of the damage, as part of a sentence. `nil` for any other failure.
  package var damage: String? { if case .damaged(_, let reason) = StoreError(self) { reason } else { nil } }

  /// The failure's `errno`. 0 if the operating system did not report it.
  fileprivate var systemCode: Int32 {
    switch self {
    case .system(let code, _): code
    case .inputOutput: EIO
    case .tooManyOpenFiles: EMFILE
    case .outOfMemory: ENOMEM
    case .invalidArgument: EINVAL
    default: 0
    }
  }
}
