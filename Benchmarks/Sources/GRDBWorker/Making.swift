import Foundation
import GRDB
import Workload

/// Fills a database.
struct Making {
  let path: String
  let usual: Bool
  /// What the process still has open when it ends.
  nonisolated(unsafe) private static var openDatabase: DatabaseQueue?

  /// A database with so many objects and events, as a killed process leaves it.
  func make(objects: Int, events: Int, batch: Int) throws {
    let began = Bench.now()
    try BenchmarkDatabase.make(path)
    let queue = try BenchmarkDatabase.queue(path)
    // Nothing of this is measured but the result.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000") }
    for start in stride(from: 0, to: objects, by: batch) {
      try queue.write { db in
        let writer = try Writer(db)
        for number in start..<min(start + batch, objects) {
          try writer.insert(Int64(number + 1), ItemFacts(number: number))
        }
      }
    }
    let updates = max(0, events - objects)
    for start in stride(from: 0, to: updates, by: batch) {
      try queue.write { db in
        let writer = try Writer(db)
        for update in start..<min(start + batch, updates) {
          let (number, value) = Bench.update(update, of: objects)
          let id = Int64(number + 1)
          let old = try Int.fetchOne(db.cachedStatement(sql: SQL.value), arguments: [id]) ?? 0
          try writer.update(id, from: old, to: value)
        }
      }
    }
    // A kill right after a load would leave up to 4 MB of it in the WAL, to be gone through at each opening: that is
    // taken out, and only archive and draft are there.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try leaveBehind(queue, objects)
    // Closing a database ends its WAL; a kill does not.
    Self.openDatabase = queue
    Bench.put("objects", objects)
    Bench.put("events", objects + updates)
    Bench.put("elapsed", Bench.now() - began)
  }

  private func leaveBehind(_ queue: DatabaseQueue, _ objects: Int) throws {
    let visible = Bench.visibleRows(of: objects)
    let nodes = (0..<Bench.screens).map { number in
      let facts = ScreenFacts(number: number)
      return Archive.Node(
        id: number, parent: facts.parent, offset: facts.offset,
        selection: number < visible.count ? Int64(visible[number] + 1) : nil, title: facts.title)
    }
    let edits = visible.flatMap { number in
      let id = Int64(number + 1)
      let edited = ItemFacts(editedNumber: number)
      return [
        Draft.Edit(id: id, attribute: .name, text: edited.name),
        Draft.Edit(id: id, attribute: .serial, text: edited.serial),
        Draft.Edit(id: id, attribute: .valueInDollars, number: edited.value),
        Draft.Edit(id: id, attribute: .notes, text: edited.notes),
      ]
    }
    try queue.write { db in
      let keep = try db.cachedStatement(sql: SQL.keep)
      try keep.execute(arguments: ["archive", JSONEncoder().encode(Archive(nodes: nodes))])
      try keep.execute(arguments: ["draft", JSONEncoder().encode(Draft(edits: edits))])
    }
  }

  /// A fresh database with so many objects, durable after each batch.
  func load(objects: Int, batch: Int) throws {
    try BenchmarkDatabase.make(path)
    let database = try BenchmarkDatabase.writer(path, usual: usual, durable: true)
    let began = Bench.now()
    for start in stride(from: 0, to: objects, by: batch) {
      let numbers = start..<min(start + batch, objects)
      try database.write { db in
        let writer = try Writer(db)
        for number in numbers {
          let facts = ItemFacts(number: number)
          if usual {
            let item = CodableItem(id: Int64(number + 1), facts)
            try item.insert(db)
            var event = try CodableEvent(inserted: item)
            try event.insert(db)
          } else {
            try writer.insert(Int64(number + 1), facts)
          }
        }
      }
    }
    Bench.put("objects", objects)
    Bench.put("elapsed", Bench.now() - began)
  }
}
