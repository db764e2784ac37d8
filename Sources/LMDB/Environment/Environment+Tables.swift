import CRepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// The tables of an environment that is being opened.
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
    _ writerWait: inout WriterWait, unless isCancelled: () -> Bool
  ) throws(StorageError) -> OpenTables? {
    if !options.makesTables { return nil }
    let site = StorageError.Site(.openTables, directory)
    try locks.awaitWriter(&writerWait, site, unless: isCancelled)
    if !options.addsTables, try hidesTables(directory) {
      throw .damagedStructure("the meta page that LMDB uses has no tables, but the other meta page has some", site)
    }
    _ = try openTables(environment, directory, options, flags: UInt32(MDB_CREATE))
    // Whether snapshots can read the pages directly is only known outside of a write transaction.
    return try openTables(environment, directory, options, flags: 0)
  }

  /// Whether the lock file was left with the number 0 by a process that was killed while it made the file new.
  ///
  /// LMDB makes the file new under an exclusive lock. The number of the last commit follows at the end. A process that
  /// waits for the lock then gets a shared lock, and uses the file as the dead process left it.
  private static func isHalfMade(_ environment: OpaquePointer, _ snapshot: OpaquePointer) -> Bool {
    mdb_txn_id(snapshot) == 0 && lastCommit(environment) > 0
  }

  /// Whether the lock file has the number of a commit that the data file does not have. Then another process has the
  /// lock file and the former data file open, or was killed while it made the lock file new. LMDB looks for the tables
  /// in the meta page for that number. In a backup, one of the two meta pages is empty, so new tables would overwrite
  /// the pages of the backup.
  ///
  /// - Parameter transaction: A write transaction: during a commit, the data file is ahead of the lock file.
  private static func isInPlaceOfAnother(_ environment: OpaquePointer, _ transaction: OpaquePointer) -> Bool {
    let last = lastCommit(environment)
    // A file without commits can get tables.
    return last > 0 && mdb_txn_id(transaction) != last + 1
  }

  /// The number of the last commit in the data file.
  private static func lastCommit(_ environment: OpaquePointer) -> Int {
    var info = MDB_envinfo()
    mdb_env_info(environment, &info)
    return info.me_last_txnid
  }

  /// Whether only the older meta page leads to tables. One flipped bit can make it the older one. New tables would
  /// overwrite the pages of these tables.
  private static func hidesTables(_ directory: String) throws(StorageError) -> Bool {
    guard let file = try DataFile(directory: directory) else { return false }
    let pages = try MetaPages(file)
    guard let current = pages.current, let older = pages.older else { return false }
    return current.main.root == TreeHead.none && older.main.root != TreeHead.none
  }

  /// Opens the tables. Without flags, it needs no lock for writing, so opening never waits for a writer in another
  /// process. `nil` if a table is missing and may be made.
  static func openTables(
    _ environment: OpaquePointer, _ directory: String, _ options: Options, flags: UInt32, refusesHalfMade: Bool = false
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
    if isMaking ? isInPlaceOfAnother(environment, transaction) : refusesHalfMade && isHalfMade(environment, transaction)
    {
      mdb_txn_abort(transaction)
      throw .fileReplaced(StorageError.Site(.openTables, directory))
    }
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
      // If the file has tables, another process has just created them, or they belong to another program.
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
      for name in options.lazyTables {
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
    if code != MDB_SUCCESS { throw cutShort(StorageError(code: code, .openTables, path: directory), directory) }
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

  /// Another process may have grown the file between our opening and our first transaction.
  private static func beginAdoptingMap(
    _ environment: OpaquePointer, _ flags: UInt32, _ transaction: inout OpaquePointer?
  ) -> Int32 {
    for _ in 0..<8 {
      let code = mdb_txn_begin(environment, nil, flags, &transaction)
      if code != MDB_MAP_RESIZED { return code }
      let resized = mdb_env_set_mapsize(environment, 0)
      if resized != MDB_SUCCESS { return resized }
    }
    return MDB_MAP_RESIZED
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
    let (key, nothing) = (key, [UInt8](repeating: 0, count: size))
    do throws(StorageError) {
      try transaction.insert(table, key: key.span.bytes, value: nothing.span.bytes)
    } catch {
      guard case .keyExists = error else { throw error }
    }
  }
}
