import Foundation
import GRDB
import Workload

/// A large value in a column. SQLite's own interface to a part of one is not GRDB's, so it goes in and out whole.
struct Blobs {
  let path: String
  private static let size = 400 << 18

  func run(_ command: String) throws {
    try BenchmarkDatabase.make(path)
    let queue = try BenchmarkDatabase.queue(path, durable: true)
    try queue.write { try $0.execute(sql: "CREATE TABLE picture (id INTEGER PRIMARY KEY, content BLOB NOT NULL)") }
    var random = FreshRandom()
    let piece = (0..<1 << 18).map { _ in UInt8.random(in: 0...255, using: &random) }
    var began = Bench.now()
    var content = Data(capacity: Self.size)
    while content.count < Self.size { content.append(contentsOf: piece) }
    try queue.write { try $0.execute(sql: "INSERT INTO picture (content) VALUES (?)", arguments: [content]) }
    if command == "value-out" {
      began = Bench.now()
      let found = try queue.read { try Data.fetchOne($0, sql: "SELECT content FROM picture") }
      guard found?.count == Self.size else { throw DatabaseError(message: "The picture is not there.") }
    }
    Bench.put("bytes", Self.size)
    Bench.put("elapsed", Bench.now() - began)
    try queue.close()
  }
}
