import CRepriseLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// LMDB's table of readers, in `lock.mdb`. LMDB reuses no page that a reader in it may see, even if its process is dead.
extension Environment {
  /// Frees the slots of readers whose process is dead. The caller is counted in.
  func checkReaders() {
    var dead: Int32 = 0
    mdb_reader_check(handle.pointer, &dead)
    counters.count(.readerCheck)
  }

  /// Whether the table of readers has a slot of a process.
  static func hasSlot(of process: Int32, _ environment: OpaquePointer) -> Bool {
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 1) { wanted in
      wanted[0] = process
      // A line begins with the process's ID. The heading has no number. A negative result ends the list.
      return mdb_reader_list(
        environment,
        { line, wanted in
          guard let line, let wanted else { return 0 }
          return strtol(line, nil, 10) == Int(wanted.load(as: Int32.self)) ? -1 : 0
        }, wanted.baseAddress) < 0
    }
  }
}
