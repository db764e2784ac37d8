import CRepriseLMDB
import RepriseSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One LMDB file in this process: `data.mdb` and `lock.mdb` in a directory.
///
/// There is at most one per directory and process. Opening again returns the same one. Every open is balanced by one
/// `close()`. The last one, or the release of the last reference, closes the file as soon as no transaction is live.
@usableFromInline
package final class Environment: Sendable {
  package let directory: String
  package let options: Options
  /// The longest key, in bytes. The same for all environments of one LMDB build.
  package let maximumKeySize: Int
  /// The operations of this process so far.
  package let counters = Counters()
  let handle: Handle
  /// In the order of the names in the options. An array, as they are few, and the metadata of a dictionary would be
  /// instantiated at each start of a process.
  let tables: [MDB_dbi]
  /// `nil` if snapshots must be read through LMDB.
  let mappedFile: MappedFile?
  /// `nil` if the file has no after-images, so that each commit flushes twice.
  let imagePlaces: ImagePlaces?
  let locks: HeldLocks
  var dataIdentity: FileIdentity { dataFile.identity }
  let identity: FileIdentity
  let dataFile: OpenFile
  /// `nil` on a file system that cannot be written.
  let lockFile: OpenFile?
  let process: Int32
  let forkGeneration: Int
  /// Whether this is a forked child of the process that opened it.
  package var isForked: Bool { ForkGuard.generation.load(ordering: .relaxed) != forkGeneration }
  let gate: Guarded<Gate>
  let writer: WriterLock

  init(_ opened: Opened, directory: String, options: Options, identity: FileIdentity) {
    self.directory = directory
    self.options = options
    self.identity = identity
    handle = opened.handle
    locks = opened.locks
    maximumKeySize = Int(mdb_env_get_maxkeysize(opened.handle.pointer))
    tables = opened.tables
    mappedFile = opened.mappedFile
    imagePlaces = opened.imagePlaces
    dataFile = OpenFile(DataFile.name, in: directory, opened.dataIdentity)
    lockFile = opened.lockIdentity.map { OpenFile(LockFile.name, in: directory, $0) }
    process = opened.process
    forkGeneration = opened.forkGeneration
    gate = Guarded(Gate())
    writer = WriterLock()
    recallMetaPages()
  }

  /// See ``unopened(_:)``.
  private init(unopened options: Options) {
    directory = ""
    self.options = options
    maximumKeySize = 0
    // Never used: the gate is shut.
    handle = Handle(pointer: OpaquePointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)))
    locks = .none
    tables = options.tables.map { _ in 0 }
    mappedFile = nil
    imagePlaces = nil
    identity = FileIdentity(device: 0, inode: 0)
    dataFile = OpenFile(DataFile.name, in: directory, identity)
    lockFile = nil
    process = getpid()
    forkGeneration = ForkGuard.current()
    var shut = Gate()
    shut.state = .closed
    shut.isShutDown = true
    gate = Guarded(shut)
    writer = WriterLock()
  }

  /// An environment without files. Every use of it throws `closed`.
  package static func unopened(_ options: Options) -> Environment { Environment(unopened: options) }

  deinit {
    shutDown()
  }

  /// A table that was named at open.
  package func table(_ name: String) -> Table {
    guard let place = options.tables.firstIndex(of: name) else {
      preconditionFailure(
        "The environment in \(directory) was opened without the table \(name). List the table in the environment's "
          + "options.")
    }
    return Table(name: name, path: directory, dbi: tables[place], file: mappedFile)
  }

  func site(_ operation: StorageError.Operation) -> StorageError.Site {
    StorageError.Site(operation, directory)
  }

  /// One of LMDB's pointers.
  ///
  /// Safe: used only as LMDB allows. An environment may be used from any thread, a reset read transaction only by the
  /// reader that took it out of the pool.
  struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// The result of opening, before there is an object.
  // A class: to copy a field out of a large struct, the compiler instantiates the field's type.
  final class Opened: Sendable {
    let handle: Handle
    let locks: HeldLocks
    let tables: [MDB_dbi]
    let mappedFile: MappedFile?
    let imagePlaces: ImagePlaces?
    /// Whether there seems to be an after-image of a commit after the head.
    let isInterrupted: Bool
    let dataIdentity: FileIdentity
    let lockIdentity: FileIdentity?
    let process: Int32
    let forkGeneration: Int

    init(
      handle: Handle, locks: HeldLocks, tables: OpenTables, dataIdentity: FileIdentity, lockIdentity: FileIdentity?,
      process: Int32, forkGeneration: Int
    ) {
      self.handle = handle
      self.locks = locks
      self.tables = tables.handles
      mappedFile = tables.file
      imagePlaces = tables.places
      isInterrupted = tables.isInterrupted
      self.dataIdentity = dataIdentity
      self.lockIdentity = lockIdentity
      self.process = process
      self.forkGeneration = forkGeneration
    }
  }
}
