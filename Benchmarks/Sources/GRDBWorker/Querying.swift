import Foundation
import GRDB
import Workload

/// Queries, as hand-written SQL with statements prepared once; objects are decoded by hand.
struct Querying {
  let path: String

  private typealias Ask = (_ sample: Int) throws -> Answer<Item>

  /// Ends the process as without a counterpart if there is no such question.
  func ask(_ question: String, rounds: Int) throws {
    let queue = try BenchmarkDatabase.queue(path)
    // What is pending in a context is here a transaction that is not committed. Without such edits it only reads.
    try queue.inTransaction(.deferred) { db in
      guard let ask = try prepare(question, db) else { WorkerExit.end(WorkerExit.unsupported) }
      // Once without the clock, of a sample beyond the others.
      _ = try ask(rounds)
      var hash = Hash()
      for sample in 0..<rounds {
        let began = Bench.now()
        let answer = try ask(sample)
        Bench.put("sample", Bench.now() - began)
        hash.add(answer, number: { Int($0.id - 1) }, value: \.valueInDollars)
      }
      Bench.put("check", hash.value)
      return .rollback
    }
  }

  private func prepare(_ question: String, _ db: Database) throws -> Ask? {
    let objects = try CodableItem.fetchCount(db)
    switch question {
    case "first50.half": return try first(above: Questions.half, db)
    case "first50.onePercent": return try first(above: Questions.onePercent, db)
    case "first50.pending":
      for edit in 0..<Questions.pending { try Edits(db, seed: 0, objects).changeValue(edit) }
      return try first(above: Questions.half, db)
    case "first50.pendingOther":
      let insert = try db.cachedStatement(sql: SQL.keep)
      for edit in 0..<Questions.pending { try insert.execute(arguments: ["other \(edit)", Data()]) }
      return try first(above: Questions.half, db)
    case "prefix50":
      return try items(
        "WHERE name >= ? AND name < ? ORDER BY name LIMIT ?",
        [Questions.prefix, after(Questions.prefix), Questions.first], db)
    case "all.objects": return try items("ORDER BY dateCreated", [], db)
    case "top50.unindexed": return try items("ORDER BY valueInDollars, id LIMIT ?", [Questions.first], db)
    case "in100":
      let names = Questions.names(of: objects)
      return try items(
        "WHERE name IN (\(databaseQuestionMarks(count: names.count))) ORDER BY id", StatementArguments(names), db)
    case "or":
      let dates = Questions.unionDates
      return try items(
        "WHERE (dateCreated >= ? AND dateCreated < ?) OR (name >= ? AND name < ?) ORDER BY dateCreated",
        [
          ItemFacts.date(dates.lowerBound), ItemFacts.date(dates.upperBound), Questions.unionPrefix,
          after(Questions.unionPrefix),
        ], db)
    case "nth":
      let nth = try db.cachedStatement(sql: "SELECT \(Item.columns) FROM item ORDER BY dateCreated LIMIT 1 OFFSET ?")
      return { sample in .items(try Item.fetchAll(nth, arguments: [Questions.asked(sample, of: objects)])) }
    default: return try figures(question, db, objects)
    }
  }

  private func figures(_ question: String, _ db: Database, _ objects: Int) throws -> Ask? {
    switch question {
    case "first50.half.property": return try property(above: Questions.half, db)
    case "first50.onePercent.property": return try property(above: Questions.onePercent, db)
    case "all.ids":
      let ids = try db.cachedStatement(sql: "SELECT id - 1 FROM item ORDER BY dateCreated")
      return { _ in .figures(try Int.fetchAll(ids)) }
    case "count.range":
      let count = try db.cachedStatement(sql: "SELECT count(*) FROM item WHERE dateCreated >= ? AND dateCreated < ?")
      return { sample in
        let dates = Questions.countedDates(sample)
        return .figures(
          try Int.fetchAll(count, arguments: [ItemFacts.date(dates.lowerBound), ItemFacts.date(dates.upperBound)]))
      }
    case "rank":
      // The object's date is at hand, as in a list that shows it.
      let rank = try db.cachedStatement(sql: SQL.rank)
      return { sample in
        let ticks = ItemFacts.ticks(ofNumber: Questions.asked(sample, of: objects))
        return .figures(try Int.fetchAll(rank, arguments: [ItemFacts.date(ticks)]))
      }
    case "sum.grouped":
      return try pairs(
        "SELECT valueInDollars, sum(valueInDollars) FROM item GROUP BY valueInDollars ORDER BY valueInDollars", [], db)
    default: return nil
    }
  }

  private func first(above value: Int, _ db: Database) throws -> Ask {
    try items("WHERE valueInDollars > ? ORDER BY dateCreated LIMIT ?", [value, Questions.first], db)
  }

  private func property(above value: Int, _ db: Database) throws -> Ask {
    try pairs(
      "SELECT id - 1, valueInDollars FROM item WHERE valueInDollars > ? ORDER BY dateCreated LIMIT ?",
      [value, Questions.first], db)
  }

  private func pairs(_ sql: String, _ arguments: StatementArguments, _ db: Database) throws -> Ask {
    let statement = try db.cachedStatement(sql: sql)
    return { _ in
      var figures: [Int] = []
      let rows = try Row.fetchCursor(statement, arguments: arguments)
      while let row = try rows.next() {
        figures.append(row[0])
        figures.append(row[1])
      }
      return .figures(figures)
    }
  }

  private func items(_ clauses: String, _ arguments: StatementArguments, _ db: Database) throws -> Ask {
    let statement = try db.cachedStatement(sql: "SELECT \(Item.columns) FROM item \(clauses)")
    return { _ in .items(try Item.fetchAll(statement, arguments: arguments)) }
  }

  /// The first text after all that begin so: the last letter is not the last of the alphabet.
  private func after(_ prefix: String) -> String {
    var bytes = Array(prefix.utf8)
    bytes[bytes.count - 1] += 1
    return String(decoding: bytes, as: UTF8.self)
  }
}
