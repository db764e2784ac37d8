import CRepriseLMDB
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Environment {
  /// Opens the environment in an existing directory. If there are no files and the options allow it, creates them. If
  /// this process has it open already, returns that environment. Waits for another process that makes the files, as a
  /// write does.
  ///
  /// - Parameter isCancelled: Asked while it waits. If it is, `cancelled` is thrown.
  package static func open(
    directory: String, _ options: Options, unless isCancelled: () -> Bool = { false }
  ) throws(StorageError) -> Environment {
    var backoff = Backoff(milliseconds: options.resizeTimeout)
    while true {
      let identity = try FileIdentity.directory(directory)
      switch Registry.claim(identity) {
      case .opened(let environment):
        if try environment.isShared(with: options, directory: directory) { return environment }
      case .claimed:
        let opened: Opened
        do throws(StorageError) {
          opened = try openFiles(directory, options, identity, unless: isCancelled)
        } catch {
          Registry.release(identity)
          throw error
        }
        let environment = Environment(opened, directory: directory, options: options, identity: identity)
        do throws(StorageError) {
          if opened.isInterrupted { try environment.repeatInterruptedCommit() }
        } catch {
          environment.close()
          throw error
        }
        Registry.fill(identity, environment)
        return environment
      case .busy: break
      }
      if !backoff.wait() {
        throw .alreadyOpenWithOtherOptions(
          difference: "another thread has not finished opening or closing it",
          StorageError.Site(.open, directory))
      }
    }
  }

  /// Counts one more open. False if the environment is being closed.
  private func isShared(with options: Options, directory: String) throws(StorageError) -> Bool {
    let site = StorageError.Site(.open, directory)
    let state: State = gate.withLock { gate in
      if gate.state == .open { gate.opens += 1 }
      return gate.state
    }
    switch state {
    case .closed: return false
    case .panicked: throw .panic(site)
    case .open: break
    }
    var difference = options.difference(from: self.options)
    if FileIdentity(path: directory + "/" + DataFile.name) != dataIdentity {
      difference = "its data file was moved or deleted since"
    }
    guard let difference else { return true }
    close()
    throw .alreadyOpenWithOtherOptions(difference: difference, site)
  }

  private static func openFiles(
    _ directory: String, _ options: Options, _ identity: FileIdentity, unless isCancelled: () -> Bool
  ) throws(StorageError) -> Opened {
    let site = StorageError.Site(.open, directory)
    var writerWait = WriterWait(milliseconds: options.makesTables ? options.writerTimeout : 0)
    try refuseNetworkFileSystem(directory)
    try requireOnlyDirectory(directory, options, identity)
    if options.isUnfinished {
      try LockFile.prepare(directory, options)
      try LockFile.awaitMaker(directory, &writerWait, unless: isCancelled)
      DataFile.emptyUnfinished(directory)
    }
    let exists = try checkFile(directory)
    if !exists && (options.readOnly || !options.createIfMissing) { throw .noSuchFile(site) }
    if options.checksStructure { try DataFile.requireSoundStructure(directory) }

    let lockFile = try LockFile.prepare(directory, options)
    let opened = try openFreed(directory, options)
    let pointer = opened.pointer
    var locks = HeldLocks.none
    do throws(StorageError) {
      let process = getpid()
      var found = opened.tables
      locks = try HeldLocks(directory, process: process)
      if found == nil { found = try makeTables(pointer, directory, options, locks, &writerWait, unless: isCancelled) }
      guard let tables = found else { throw .tableMissing(name: options.tables.first ?? "", site) }
      var descriptor: Int32 = -1
      guard mdb_env_get_fd(pointer, &descriptor) == MDB_SUCCESS, let data = FileIdentity(descriptor: descriptor) else {
        throw .noSuchFile(site)
      }
      // Sets the bits that the process's umask removed.
      if !exists { fchmod(descriptor, mode_t(options.fileMode)) }
      return Opened(
        handle: Handle(pointer: pointer), locks: locks, tables: tables, dataIdentity: data, lockIdentity: lockFile,
        process: process, forkGeneration: ForkGuard.current())
    } catch {
      mdb_env_close(pointer)
      locks.release()
      throw error
    }
  }

  /// Throws if this process has the data file open through another directory.
  private static func requireOnlyDirectory(
    _ directory: String, _ options: Options, _ identity: FileIdentity
  ) throws(StorageError) {
    var backoff = Backoff(milliseconds: options.resizeTimeout)
    while Registry.hasOthers(than: identity), let data = FileIdentity(path: directory + "/" + DataFile.name),
      let other = Registry.other(than: identity, withData: data)
    {
      // A closed one is about to release its file. If that was deleted, the system may have given its number to ours.
      let isClosed = other.gate.withLock { $0.state == .closed }
      if isClosed && backoff.wait() { continue }
      throw .alreadyOpenWithOtherOptions(
        difference: "the same data file is open through \(other.directory)", StorageError.Site(.open, directory))
    }
  }

  /// Opens the environment and its tables, and frees the slots of dead processes in the table of readers. LMDB reuses
  /// no page that a reader in this table may see.
  ///
  /// If the lock file is half made, opens again: a process that is alone makes the file new. If it stays half made, a
  /// process has stopped in the first commit of the data file.
  private static func openFreed(
    _ directory: String, _ options: Options
  ) throws(StorageError) -> (pointer: OpaquePointer, tables: OpenTables?) {
    var backoff = Backoff(milliseconds: 100)
    var isPatient = true
    while true {
      let pointer = try openEnvironment(directory, options)
      do throws(StorageError) {
        var dead: Int32 = 0
        mdb_reader_check(pointer, &dead)
        let tables = try openTables(pointer, directory, options, flags: 0, refusesHalfMade: isPatient)
        // LMDB frees no slot with this process's ID before it closes the environment. A dead process with the same ID
        // left such a slot: in each container, the first process has the ID 1. A live one
        // holds the lock of that ID. So `openTables` throws before it takes a slot, and closing frees no live slot.
        if !hasSlot(of: getpid(), pointer) { return (pointer, tables) }
      } catch {
        mdb_env_close(pointer)
        guard case .fileReplaced = error, isPatient else { throw error }
        isPatient = backoff.wait()
        continue
      }
      mdb_env_close(pointer)
    }
  }

  /// Whether there is a data file with something in it. Throws if LMDB cannot use it. Another process may be writing
  /// it, so a bad answer is checked again.
  private static func checkFile(_ directory: String) throws(StorageError) -> Bool {
    var attempts = 0
    while true {
      do throws(StorageError) {
        guard let file = try DataFile(directory: directory) else { return false }
        return try file.check()
      } catch {
        attempts += 1
        if attempts == 4 { throw error }
        usleep(1000)
      }
    }
  }

  /// Falls back to a smaller map if the process cannot have one of the size asked for.
  private static func openEnvironment(_ directory: String, _ options: Options) throws(StorageError) -> OpaquePointer {
    let wanted = max(options.mapSize, 1)
    var (code, pointer) = openEnvironment(directory, options, mapSize: wanted)
    if code == ENOMEM || code == EINVAL {
      let possible = reservable(wanted)
      if possible < wanted { (code, pointer) = openEnvironment(directory, options, mapSize: possible) }
    }
    if let pointer { return pointer }
    switch code {
    // The data file was checked before, so it is the lock file.
    case MDB_INVALID, MDB_VERSION_MISMATCH: throw .lockFileIncompatible(StorageError.Site(.open, directory))
    default: throw StorageError(code: code, .open, path: directory)
    }
  }

  private static func openEnvironment(
    _ directory: String, _ options: Options, mapSize: Int
  ) -> (code: Int32, OpaquePointer?) {
    var created: OpaquePointer?
    var code = mdb_env_create(&created)
    guard code == MDB_SUCCESS, let created else { return (code, nil) }
    mdb_env_set_mapsize(created, mapSize)
    code = mdb_env_set_maxreaders(created, UInt32(clamping: options.maxReaders))
    if code == MDB_SUCCESS {
      // An interrupted commit may have changed tables that the options do not name.
      code = mdb_env_set_maxdbs(created, UInt32(options.tables.count + options.lazyTables.count + spareTables))
    }
    var flags = UInt32(MDB_NOTLS)
    if options.readOnly { flags |= UInt32(MDB_RDONLY) }
    if !options.readAhead { flags |= UInt32(MDB_NORDAHEAD) }
    if options.isUnflushed { flags |= UInt32(MDB_NOSYNC) }
    if code == MDB_SUCCESS { code = mdb_env_open(created, directory, flags, mdb_mode_t(options.fileMode)) }
    if code == MDB_SUCCESS { return (code, created) }
    mdb_env_close(created)
    return (code, nil)
  }

  private static let spareTables = 7
}
