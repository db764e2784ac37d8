import Foundation

@testable import RepriseLMDB

/// Files of LMDB's with bytes changed: the check says what is wrong with them, the search for rows finds what it can,
/// and what was called sound can be read and written.
struct FuzzCheck: FuzzTarget {
  private let path = NSTemporaryDirectory() + "reprise-fuzz-\(UUID().uuidString)"
  private let whole: [UInt8]

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let environment = try Self.open(path)
    for round in 0..<3 {
      try environment.write { (transaction) throws(StorageError) in
        for number in stride(from: round, to: 120, by: round + 1) {
          let key = Array("key \(number)".utf8)
          let value = [UInt8](repeating: 7, count: number == 60 ? 9_000 : number * 9 % 700)
          try transaction.put(environment.table("a"), key: key.span.bytes, value: value.span.bytes)
          if number % 5 == round { try transaction.delete(environment.table("a"), key: key.span.bytes) }
        }
      }
    }
    environment.close()
    whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")))
  }

  private static func open(_ path: String) throws(StorageError) -> Environment {
    var options = Environment.Options(tables: ["a", "b"])
    options.isUnflushed = true
    options.mapSize = 1 << 26
    return try Environment.open(directory: path, options)
  }

  func seeds() throws -> [[UInt8]] { [[2, 0, 10, 0, 1], [0, 0, 16, 0, 255, 5, 0, 40, 0, 8]] }

  /// Five bytes a change: page, place in it, what to turn round.
  func run(_ bytes: [UInt8]) throws {
    var file = whole
    for start in stride(from: 0, to: bytes.count - 4, by: 5) {
      let page = (Int(bytes[start]) | Int(bytes[start + 1]) << 8) * 4096
      let offset = page + (Int(bytes[start + 2]) | Int(bytes[start + 3]) << 8) % 4096
      if offset < file.count { file[offset] ^= bytes[start + 4] }
    }
    try Data(file).write(to: URL(fileURLWithPath: path + "/data.mdb"))
    _ = try? RowScan.run(of: path, growing: "a") { _ in }
    guard try DataFile.structure(of: path)?.isSound == true else { return }
    try? FileManager.default.removeItem(atPath: path + "/lock.mdb")
    let environment = try Self.open(path)
    defer { environment.close() }
    try read(environment)
    try environment.write { (transaction) throws(StorageError) in
      for number in 0..<40 {
        let key = Array("new \(number)".utf8)
        let value = [UInt8](repeating: 1, count: 500)
        try transaction.put(environment.table("a"), key: key.span.bytes, value: value.span.bytes)
      }
    }
    try read(environment)
  }

  private func read(_ environment: Environment) throws(StorageError) {
    let transaction = try environment.beginRead()
    for name in ["a", "b"] {
      var cursor = try transaction.view.cursor(environment.table(name))
      while let entry = try cursor.next() { _ = entry.value.withUnsafeBytes { $0.reduce(0, ^) } }
    }
  }
}
