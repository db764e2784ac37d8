import CRepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Environment {
  /// The results of opening the tables.
  struct OpenTables {
    let handles: [MDB_dbi]
    /// `nil` unless snapshots read its pages directly.
    let file: MappedFile?
    fileprivate(set) var places: ImagePlaces?
    /// Whether there seems to be an after-image of a commit after the head.
    fileprivate(set) var isInterrupted = false

    fileprivate init(_ handles: [MDB_dbi], _ file: MappedFile?) {
      self.handles = handles
      self.file = file
    }
  }

  /// Makes missing tables, which takes the lock for writing.
  static func makeTables(
    _ environment: OpaquePointer, _ directory: String, _ options: Options, _ locks: HeldLocks,
    _ vigil: inout WriterVigil, unless isCancelled: () -> Bool
  ) throws(StorageError) -> OpenTables? {
    if !options.makesTables { return nil }
    let site = StorageError.Site(.openTables, directory)
    try locks.awaitWriter(&vigil, site, unless: isCancelled)
    _ = try openTables(environment, directory, options, flags: UInt32(MDB_CREATE))
    // A writer cannot tell whether snapshots find their way.
    return try openTables(environment, directory, options, flags: 0)
  }

  /// Opens the tables. Without flags, it needs no lock for writing, so opening never waits for a writer in another
  /// process. `nil` if a table is missing and may be made.
  static func openTables(
    _ environment: OpaquePointer, _ directory: String, _ options: Options, flags: UInt32
  ) throws(StorageError) -> OpenTables? {
    var transaction: OpaquePointer?
    var code = beginAdoptingMap(environment, flags == 0 ? UInt32(MDB_RDONLY) : 0, &transaction)
    guard code == MDB_SUCCESS, let transaction else {
      // LMDB could not lock the byte of this process's ID, which the first snapshot does.
      if flags == 0, code == EAGAIN || code == EACCES {
        throw .sameProcessID(getpid(), StorageError.Site(.open, directory))
      }
      throw StorageError(code: code, .openTables, path: directory)
    }
    let isMaking = flags != 0
    var flags = flags
    if isMaking && !options.addsTables {
      var main: MDB_dbi = 0
      var statistics = MDB_stat()
      code = mdb_dbi_open(transaction, nil, 0, &main)
      if code == MDB_SUCCESS { code = mdb_stat(transaction, main, &statistics) }
      if code != MDB_SUCCESS {
        mdb_txn_abort(transaction)
        throw StorageError(code: code, .openTables, path: directory)
      }
      // Not empty: another process has just created the tables, or they are not ours.
      if statistics.ms_entries > 0 { flags = 0 }
    }
    var tables: [MDB_dbi] = []
    tables.reserveCapacity(options.tables.count)
    for name in options.tables {
      var dbi: MDB_dbi = 0
      code = name.utf8.contains(0) ? EINVAL : mdb_dbi_open(transaction, name, flags, &dbi)
      if code != MDB_SUCCESS {
        mdb_txn_abort(transaction)
        if code == MDB_NOTFOUND {
          if flags == 0, !isMaking, !options.readOnly { return nil }
          throw .tableMissing(name: name, StorageError.Site(.openTables, directory))
        }
        throw StorageError(code: code, .openTables, path: directory)
      }
      tables.append(dbi)
    }
    let file = isMaking ? nil : mappedFile(environment, transaction, options)
    if isMaking ? flags != 0 : file == nil {
      for name in options.lateTables {
        var dbi: MDB_dbi = 0
        code = mdb_dbi_open(transaction, name, flags, &dbi)
        // If the table is missing, its first use throws.
        if code != MDB_SUCCESS, code != MDB_NOTFOUND {
          mdb_txn_abort(transaction)
          throw StorageError(code: code, .openTables, path: directory)
        }
      }
    }
    if isMaking, flags != 0, options.makesAfterImages {
      code = makeAfterImages(transaction)
      if code != MDB_SUCCESS {
        mdb_txn_abort(transaction)
        throw StorageError(code: code, .openTables, path: directory)
      }
    }
    var opened = OpenTables(tables, file)
    do throws(StorageError) {
      if !isMaking { try findAfterImages(environment, transaction, directory, &opened) }
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    code = mdb_txn_commit(transaction)
    if code != MDB_SUCCESS { throw StorageError(code: code, .openTables, path: directory) }
    return opened
  }

  /// The file as snapshots read it. `nil` if they find no table in it by its name.
  private static func mappedFile(
    _ environment: OpaquePointer, _ transaction: OpaquePointer, _ options: Options
  ) -> MappedFile? {
    guard let file = MappedFile(environment), let table = options.tables.first,
      file.start(transaction, table) != nil
    else { return nil }
    return file
  }

  /// Finds the after-images, and whether one follows the head. In the map, it costs at most three page faults.
  private static func findAfterImages(
    _ environment: OpaquePointer, _ transaction: OpaquePointer, _ directory: String, _ opened: inout OpenTables
  ) throws(StorageError) {
    let next = Int(mdb_txn_id(transaction)) + 1
    if let file = opened.file {
      opened.places = file.imagePlaces(transaction)
      if let places = opened.places, let start = file.start(transaction, ImagePlaces.table) {
        opened.isInterrupted = file.commit(inPlaceOf: next, places, start) == next
      }
      return
    }
    var descriptor: CInt = -1
    guard mdb_env_get_fd(environment, &descriptor) == MDB_SUCCESS else { return }
    let file = try DataFile(sharing: descriptor, directory)
    guard let meta = try MetaPages(file).current, let places = try ImagePlaces(file, meta) else { return }
    opened.places = places
    opened.isInterrupted = try file.interruptedCommit(after: meta, places) != nil
  }

  /// Makes the row with both places for after-images.
  private static func makeAfterImages(_ transaction: OpaquePointer) -> Int32 {
    var dbi: MDB_dbi = 0
    var failure = mdb_dbi_open(transaction, ImagePlaces.table, UInt32(MDB_CREATE), &dbi)
    if failure != MDB_SUCCESS { return failure }
    let table = Table(name: ImagePlaces.table, path: "", dbi: dbi)
    withUnsafeMutablePointer(to: &failure) { failure in
      try? ImagePlaces.putNothing(table, WriteTransaction(transaction, failure: failure))
    }
    return failure
  }
}

extension ImagePlaces {
  /// Puts the row with both places. Does not replace it.
  static func putNothing(_ table: Table, _ transaction: borrowing WriteTransaction) throws(StorageError) {
    let nothing = [UInt8](repeating: 0, count: size)
    do throws(StorageError) {
      try transaction.insert(table, key: key.span.bytes, value: nothing.span.bytes)
    } catch {
      guard case .keyExists = error else { throw error }
    }
  }
}
