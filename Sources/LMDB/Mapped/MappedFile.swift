import CRepriseLMDB
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `data.mdb` as LMDB maps it. Snapshots walk its pages directly, which costs a third of LMDB's calls.
///
/// LMDB does not report the beginning of the map. But a page that it returns has its own number, from which the
/// beginning follows. The beginning is checked before it is used, because a damaged page may have any number.
@usableFromInline
final class MappedFile: Sendable {
  let pageSize: Int
  /// Where the map was found to begin last; another address after it has grown.
  private let known = Atomic<UInt>(0)

  /// LMDB's own: the tree that has the heads of the named tables.
  static let mainTable: MDB_dbi = 1

  /// `nil` unless the file has the layout of ``Page``, with a page size that divides the system's.
  init?(_ environment: OpaquePointer) {
    var (major, minor): (Int32, Int32) = (0, 0)
    _ = mdb_version(&major, &minor, nil)
    var statistics = MDB_stat()
    guard major == 0, minor == 9, MemoryLayout<Int>.size == 8,
      mdb_env_stat(environment, &statistics) == MDB_SUCCESS
    else { return nil }
    pageSize = Int(statistics.ms_psize)
    guard pageSize > 0, pageSize & (pageSize - 1) == 0, sysconf(Int32(_SC_PAGESIZE)) % pageSize == 0 else { return nil }
  }

  /// The tree of a table. `nil` if it cannot be found here, so that LMDB must find it.
  ///
  /// - Parameter transaction: A snapshot. A writer has pages that are not in the map.
  func tree(of table: String, _ transaction: OpaquePointer) -> MappedTree? {
    guard let (bytes, start) = head(of: table, transaction) else { return nil }
    var info = MDB_envinfo()
    mdb_env_info(mdb_txn_env(transaction), &info)
    // Integer keys and the like, which tables here do not have.
    guard bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0 else { return nil }
    return MappedTree(
      transaction: transaction, start: start, pageSize: pageSize,
      pageCount: min(UInt(info.me_last_pgno) + 1, UInt(info.me_mapsize / pageSize)),
      root: bytes.loadUnaligned(fromByteOffset: TreeHead.size - DataFile.word, as: UInt.self))
  }

  /// Whether a value that LMDB found in a snapshot lies within the file. LMDB trusts the size in a node, and reading
  /// beyond the end of the file ends the process.
  func holds(_ value: MDB_val) -> Bool {
    guard let start = value.mv_data else { return value.mv_size == 0 }
    let offset = Int(UInt(bitPattern: start) & UInt(pageSize - 1))
    if value.mv_size <= pageSize - offset { return true }
    // Only a value on overflow pages is longer.
    guard offset == DataFile.pageHeaderSize else { return false }
    let page = start - offset
    let count = Int(page.load(fromByteOffset: DataFile.word + 4, as: UInt32.self))
    return page.load(fromByteOffset: DataFile.word + 2, as: UInt16.self) == Page.overflow
      && value.mv_size <= count * pageSize - offset
  }

  /// The lists of free pages that commits after one have left, as a write transaction finds them. `nil` if they cannot
  /// be found here.
  func freeLists(after commit: UInt, _ table: String, _ transaction: OpaquePointer) -> MappedFreeLists? {
    head(of: table, transaction).map { MappedFreeLists($0.start, pageSize: pageSize, after: commit) }
  }

  /// The head of a table in the map, and where the map begins.
  private func head(
    of table: String, _ transaction: OpaquePointer
  ) -> (bytes: UnsafeMutableRawPointer, start: UnsafeRawPointer)? {
    var name = table
    var head = MDB_val()
    let code = name.withUTF8 { bytes in
      var key = MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      return mdb_get(transaction, Self.mainTable, &key, &head)
    }
    guard code == MDB_SUCCESS, head.mv_size == TreeHead.size, let bytes = head.mv_data,
      let page = UnsafeRawPointer(bitPattern: UInt(bitPattern: bytes) & ~UInt(pageSize - 1))
    else { return nil }
    let (distance, isTooFar) = page.load(as: UInt.self).multipliedReportingOverflow(by: UInt(pageSize))
    let (address, isBefore) = UInt(bitPattern: page).subtractingReportingOverflow(distance)
    guard !isTooFar, !isBefore, isStart(address) else { return nil }
    return UnsafeRawPointer(bitPattern: address).map { (bytes, $0) }
  }

  /// Where the map begins. `nil` if that cannot be found.
  ///
  /// - Parameters:
  ///   - transaction: A live one, which has not written: the map may move otherwise.
  ///   - table: Any that is in the file.
  func start(_ transaction: OpaquePointer, _ table: String) -> UnsafeRawPointer? {
    if known.load(ordering: .relaxed) == 0 { _ = tree(of: table, transaction) }
    return knownStart
  }

  /// Where the map was found to begin, for as long as a transaction lives that has called ``start(_:_:)``.
  var knownStart: UnsafeRawPointer? { UnsafeRawPointer(bitPattern: known.load(ordering: .relaxed)) }

  /// The map is about to move.
  func forgetStart() { known.store(0, ordering: .relaxed) }

  /// Whether the first page of the map lies here.
  private func isStart(_ address: UInt) -> Bool {
    if address == known.load(ordering: .relaxed) { return true }
    guard let start = UnsafeMutableRawPointer(bitPattern: address), address % UInt(pageSize) == 0,
      Self.isMapped(start, pageSize), start.load(as: UInt.self) == 0,
      start.load(fromByteOffset: DataFile.pageHeaderSize, as: UInt32.self) == DataFile.Meta.magic,
      start.load(fromByteOffset: DataFile.pageHeaderSize + 4, as: UInt32.self) == DataFile.Meta.dataVersion
    else { return false }
    known.store(address, ordering: .relaxed)
    return true
  }

  /// Whether the process has mapped memory at an address. The system reports this without a read.
  private static func isMapped(_ start: UnsafeMutableRawPointer, _ count: Int) -> Bool {
    let system = Int(sysconf(Int32(_SC_PAGESIZE)))
    guard UInt(bitPattern: start) % UInt(system) == 0 else { return false }
    #if canImport(Darwin)
    var residency: CChar = 0
    #else
    var residency: UInt8 = 0
    #endif
    return mincore(start, min(count, system), &residency) == 0
  }
}
