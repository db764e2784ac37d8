extension StorageError {
  /// The operation and its directory.
  package var site: Site {
    switch self {
    case .keyExists(let site), .badValueSize(let site), .badTable(let site), .incompatibleTable(let site),
      .tableMissing(_, let site), .badTransaction(let site), .mapFull(let site), .tablesFull(let site),
      .readersFull(let site), .threadKeysFull(let site), .transactionFull(let site), .cursorFull(let site),
      .pageFull(let site), .mapResized(let site), .mapGrowthBlocked(_, let site), .corrupted(let site),
      .damagedStructure(_, let site), .pageNotFound(let site), .notAnLMDBFile(let site), .versionMismatch(let site),
      .newerFormat(_, _, let site), .prereleaseFormat(let site), .shared(let site), .damagedRow(_, _, _, let site),
      .rowsLost(_, _, _, let site),
      .rowsDropped(_, _, _, let site),
      .foreignContents(_, let site), .foreignOrder(_, let site), .foreignPageSize(_, let site),
      .foreignArchitecture(let site), .fileTruncated(_, _, let site), .fileDeleted(_, let site),
      .fileReplaced(let site),
      .symbolicLink(_, let site), .busy(let site), .inUse(let site),
      .sameProcessID(_, let site), .lockLost(let site), .writerBusy(_, _, _, let site),
      .cancelled(let site),
      .panic(let site), .badReaderSlot(let site), .lockFileIncompatible(let site), .closed(let site),
      .forked(let site), .alreadyOpenWithOtherOptions(_, let site), .writeInsideWrite(let site),
      .readOnlyEnvironment(let site), .commitOutcomeUnknown(_, let site), .noSuchFile(let site),
      .notADirectory(let site), .permissionDenied(let site), .readOnlyFileSystem(let site),
      .networkFileSystem(let site), .diskFull(let site), .fileTooLarge(let site), .outOfMemory(let site),
      .tooManyOpenFiles(let site), .inputOutput(let site), .invalidArgument(let site), .system(_, let site):
      site
    }
  }
}

extension StorageError {
  // The texts have all values. The comparison that Swift derives for so many cases has 9 KB, in each program.
  @usableFromInline package static func == (left: StorageError, right: StorageError) -> Bool {
    left.description == right.description
  }
}

extension StorageError: CustomStringConvertible {
  @usableFromInline package var description: String {
    "\(failure) (\(site.operation.rawValue), \(site.path)). \(advice)"
  }

  /// The failure without its place, as a part of a sentence.
  package var reason: String {
    let text = failure
    let isName = text.dropFirst().first?.isUppercase ?? true
    return isName ? text : text.prefix(1).lowercased() + text.dropFirst()
  }

  private var failure: String {
    switch self {
    case .keyExists: "The key exists already, or was appended out of order"
    case .badValueSize: "The key is empty or longer than 511 bytes, or the value is too long"
    case .badTable: "The table handle is from another environment"
    case .incompatibleTable: "The table exists with other flags than the ones requested"
    case .tableMissing(let name, _): "There is no table \(name)"
    case .badTransaction: "The transaction has failed or ended before"
    case .mapFull: "The map is full and cannot grow"
    case .tablesFull: "The environment was opened for fewer tables"
    case .readersFull: "All reader slots are taken"
    case .threadKeysFull: "The process has no thread-local key left (pthread_key_create)"
    case .transactionFull: "The transaction changes too many pages"
    case .cursorFull: "A tree is deeper than LMDB can walk"
    case .pageFull: "A page has no room for an entry that must fit"
    case .mapResized: "Another process keeps growing the file"
    case .mapGrowthBlocked(let live, _): "The memory map must grow, but \(live) transactions of this process stay open"
    case .corrupted: "A page of data.mdb is damaged"
    case .damagedStructure(let problem, _): "The pages of data.mdb are damaged: \(problem)"
    case .pageNotFound: "The file refers to a page that is not in it"
    case .notAnLMDBFile: "data.mdb is not an LMDB file"
    case .versionMismatch: "The LMDB library cannot read this version of data.mdb"
    case .newerFormat(let found, let supported, _):
      "The data has format \(found), and this library reads formats up to \(supported)"
    case .prereleaseFormat: "A version of Reprise before 0.1 wrote the data"
    case .shared: "Other machines share the data"
    case .foreignPageSize(let size, _):
      "A meta page of data.mdb names the page size \(size), which is invalid or differs from the other meta page"
    case .foreignArchitecture: "data.mdb was written on a machine with another word size or byte order"
    case .fileTruncated(let expected, let actual, _):
      "data.mdb is cut off: it has \(actual) bytes and refers to \(expected)"
    case .damagedRow(let table, _, let reason, _): "A row of the table \(table) is damaged: \(reason)"
    case .rowsLost(let table, let last, let saved, _):
      "The table \(table) ends with the row \(last), but the last row that was saved is \(saved)"
    case .rowsDropped(let table, let row, let first, _):
      "Row \(row) of the table \(table) was deleted: the table now begins with row \(first)"
    case .foreignContents(let reason, _): "The tables do not belong to a Reprise store: \(reason)"
    case .foreignOrder(let locale, _): "Rows are in an order of the locale '\(locale)' that this program does not have"
    case .panic: "LMDB has closed the environment after an earlier failure"
    case .badReaderSlot: "The transaction's reader slot belongs to another transaction"
    case .lockFileIncompatible: "lock.mdb is in use by an LMDB library that this one cannot work with"
    case .closed: "The environment is closed"
    case .forked: "The environment was opened by the parent of this forked process"
    case .alreadyOpenWithOtherOptions(let difference, _):
      "This process has the environment open already, and \(difference)"
    case .writeInsideWrite: "A write transaction was begun inside another on the same thread"
    case .fileDeleted(let file, _): "\(file.rawValue) was deleted or replaced while it was open"
    case .fileReplaced: "The content of data.mdb was replaced while it was open"
    case .busy: "Another process kept writing while the file was checked"
    case .inUse: "Another process has the environment open"
    case .sameProcessID(let process, _):
      "Another process with the ID \(process) has the environment open, probably in another container"
    case .writerBusy(let process, let thread, let milliseconds, _):
      "\(process.map { "Process \($0)" } ?? "Another process") has had the lock for writing for \(milliseconds) ms"
        + (thread.map { ", in its thread \($0)" } ?? "")
    case .cancelled: "The caller did not want to wait any longer for another process"
    case .lockLost: "This process closed another descriptor of lock.mdb, which dropped its lock"
    case .symbolicLink(let name, _): "\(name) is a symbolic link"
    case .readOnlyEnvironment: "The environment is open read-only"
    case .commitOutcomeUnknown(let code, _):
      "Writing the commit failed (errno \(code)), so it may or may not be in the file"
    case .noSuchFile: "The file or directory does not exist"
    case .notADirectory: "The path, or a part of it, is not a directory"
    case .permissionDenied: "The system denies access"
    case .readOnlyFileSystem: "The file system is read-only"
    case .networkFileSystem: "The directory is on a network file system"
    case .diskFull: "The disk is full"
    case .fileTooLarge: "The file would grow beyond the limit of the process or the file system"
    case .outOfMemory: "The system has no memory or address space left"
    case .tooManyOpenFiles: "Too many files are open"
    case .inputOutput: "The disk reported an I/O error"
    case .invalidArgument: "The system refused an argument of the call"
    case .system(let code, _): "The system reported errno \(code)"
    }
  }

  /// The next step, in sentences.
  package var advice: String {
    switch self {
    case .keyExists: "Nothing was changed. Read the entry first, or append in key order."
    case .badValueSize: "Nothing was changed. Write smaller values, or fewer in one transaction."
    case .badTable: "Use the handles that this environment gave out."
    case .incompatibleTable: "Check the path: another program may have made the file."
    case .tableMissing: "Name the table at open, in an environment that is not read-only."
    case .badTransaction: "Let the first error end the transaction, then begin another one."
    case .mapFull: "Free address space, or open with a larger map."
    case .tablesFull: "Name all tables at open."
    case .readersFull: "End read transactions sooner, or open with more reader slots."
    case .threadKeysFull: "Delete thread-local keys that the program no longer uses, then try again."
    case .outOfMemory, .tooManyOpenFiles:
      "Free memory, files or threads in this process, or raise its limits."
    case .transactionFull: "Split the change into several transactions."
    case .mapResized: "Try again."
    case .mapGrowthBlocked: "End read transactions within milliseconds. Never hold one across a write."
    case .damagedStructure: "Nothing was touched. Restore a backup, or salvage from a copy."
    case .corrupted, .pageNotFound, .cursorFull, .pageFull, .damagedRow, .rowsLost:
      "Do not write to the file. Make a copy, and verify the copy."
    case .rowsDropped(_, _, let first, _): "Use row \(first) or a later one."
    case .notAnLMDBFile, .foreignContents: "Nothing was touched. Check the path."
    case .foreignOrder: "Close the store and open it again, which sorts the rows again."
    case .versionMismatch, .newerFormat: "Open the data with the newer version that wrote it."
    case .shared: "Open the data with a program that shares it."
    case .prereleaseFormat: "The version of Reprise that wrote the data can still read it. Start with a new store."
    case .foreignPageSize, .fileTruncated: "Nothing was touched. Restore a backup, or salvage from a copy."
    case .foreignArchitecture: "Export the data on that machine, and import it on this one."
    case .panic: "Close the environment and open it again."
    case .badReaderSlot: "End each transaction once."
    case .lockFileIncompatible:
      "Close the process that uses the other LMDB library, or let both processes use the same LMDB version."
    case .closed: "Open the environment again."
    case .forked: "Open another environment in the child process, after exec."
    case .alreadyOpenWithOtherOptions:
      "Close that environment and end its transactions, or open it with the same options and path."
    case .writeInsideWrite: "Use the outer transaction for the inner work."
    case .fileDeleted(.lock, _):
      "Nothing was written. Close the environment in all processes that had it open before, then open it again."
    case .fileDeleted(.data, _):
      "The commit did not happen. Copy the data that you need, close the environment, and restore a backup."
    case .fileReplaced: "Nothing was written. Close the environment in all processes, then open it again."
    case .sameProcessID:
      "Give the processes different IDs: let the containers share one namespace of process IDs, or run one process."
    case .writerBusy: "Nothing was changed. Let that process continue, or end it, and try again."
    case .cancelled: "Nothing was changed. Try again."
    case .lockLost: "Nothing was changed. Try again, and let nothing else open the folder's files meanwhile."
    case .busy: "Try again when the process writes less, or close the environment there."
    case .inUse: "Close the environment in that process."
    case .symbolicLink:
      "Nothing was touched. Put the file itself in the place of the link, or make the whole directory a link."
    case .readOnlyEnvironment: "Open the environment for writing."
    case .commitOutcomeUnknown: "Close the environment, open it again, and check whether the commit is there."
    case .noSuchFile: "Create the directory first, or open it with `createIfMissing`."
    case .notADirectory: "Name a directory."
    case .permissionDenied: "Give the process the right to read and write the directory, data.mdb and lock.mdb."
    case .readOnlyFileSystem: "Open the environment read-only."
    case .networkFileSystem: "Keep the directory on a local disk."
    case .diskFull: "The commit did not happen, and earlier ones stay. Free some space, then try again."
    case .fileTooLarge: "The commit did not happen, and earlier ones stay. Raise the limit, then try again."
    case .inputOutput: "The operation did not happen, and earlier commits stay. Check the disk."
    case .invalidArgument: "Check the path, the file system and the map size."
    case .system: "Check the disk, the free memory and the limits of the process, then try again."
    }
  }
}
