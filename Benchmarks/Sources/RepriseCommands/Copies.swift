import RepriseCore
import Workload

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A compaction and a backup, beside a copy of the file; each durable.
struct Copies {
  let path: String

  func make(_ command: String) async throws {
    let file = path + "/data.mdb"
    let copy = path + ".copy-\(Bench.now())"
    var facts = stat()
    stat(file, &facts)
    let bytes = Int(facts.st_size)
    var began = Bench.now()
    switch command {
    case "compact": try await StoreMaintenance.compact(path)
    case "backup":
      let store = try await Store.open(path, for: BenchmarkRecord.schema)
      began = Bench.now()
      try await StoreMaintenance.backup(store, to: copy)
    default: try duplicate(file, copy)
    }
    Bench.put("bytes", bytes)
    Bench.put("elapsed", Bench.now() - began)
  }

  private func duplicate(_ file: String, _ copy: String) throws {
    let (source, target) = (open(file, O_RDONLY), open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0o600))
    guard source >= 0, target >= 0 else { throw BenchmarkError("\(file) cannot be copied.") }
    defer {
      close(source)
      close(target)
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      guard write(target, buffer, count) == count else { throw BenchmarkError("\(copy) cannot be written.") }
    }
    fsync(target)
  }
}
