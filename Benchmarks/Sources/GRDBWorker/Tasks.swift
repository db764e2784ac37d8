import Foundation
import GRDB
import Workload

/// A row of the tasks, decoded by hand and by position.
struct TaskRow: FetchableRecord {
  let id: Int64
  let text: String
  let dueDate: Double
  let isDone: Bool

  init(row: Row) {
    id = row[0]
    text = row[1]
    dueDate = row[2]
    isDone = row[3]
  }
}

/// A database of tasks, with an index over two properties and one of words (FTS5), and what is asked of it.
struct Tasks {
  let path: String

  func make(objects: Int, batch: Int) throws {
    let began = Bench.now()
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let queue = try BenchmarkDatabase.queue(path)
    try queue.writeWithoutTransaction { db in
      _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
      // Nothing of this is measured but the result.
      try db.execute(
        sql: """
          PRAGMA synchronous = OFF;
          CREATE TABLE task (
            id INTEGER PRIMARY KEY, text TEXT NOT NULL, dueDate DOUBLE NOT NULL, isDone BOOLEAN NOT NULL);
          CREATE VIRTUAL TABLE task_text USING fts5(text, content = 'task', content_rowid = 'id');
          """)
    }
    for start in stride(from: 0, to: objects, by: batch) {
      try queue.write { db in
        let insert = try db.cachedStatement(sql: "INSERT INTO task (id, text, dueDate, isDone) VALUES (?, ?, ?, ?)")
        for number in start..<min(start + batch, objects) {
          let facts = TaskFacts(number: number)
          try insert.execute(arguments: [number + 1, facts.text, ItemFacts.date(facts.ticks), facts.isDone])
        }
      }
    }
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          CREATE INDEX task_due ON task (isDone, dueDate);
          INSERT INTO task_text (task_text) VALUES ('rebuild');
          INSERT INTO task_text (task_text) VALUES ('optimize');
          """)
    }
    try queue.close()
    Bench.put("objects", objects)
    Bench.put("events", objects)
    Bench.put("elapsed", Bench.now() - began)
  }

  /// False if it is no question of tasks.
  func ask(_ question: String, rounds: Int) throws -> Bool {
    let sql: String
    let arguments: StatementArguments
    switch question {
    case "search":
      sql = """
        SELECT id, task.text, dueDate, isDone FROM task_text JOIN task ON task.id = task_text.rowid
        WHERE task_text MATCH ? ORDER BY task_text.rowid LIMIT ?
        """
      arguments = [Questions.words.joined(separator: " "), Questions.first]
    case "compound":
      sql = "SELECT id, text, dueDate, isDone FROM task WHERE isDone = 0 AND dueDate >= ? ORDER BY dueDate LIMIT ?"
      arguments = [ItemFacts.date(Questions.middleTicks), Questions.first]
    default: return false
    }
    try BenchmarkDatabase.queue(path).read { db in
      let statement = try db.cachedStatement(sql: sql)
      var hash = Hash()
      // The first without the clock.
      for sample in -1..<rounds {
        let began = Bench.now()
        let tasks = try TaskRow.fetchAll(statement, arguments: arguments)
        if sample < 0 { continue }
        Bench.put("sample", Bench.now() - began)
        hash.add(
          Answer.items(tasks), number: { Int($0.id - 1) }, value: { ItemFacts.ticks($0.dueDate) })
      }
      Bench.put("check", hash.value)
    }
    return true
  }
}
