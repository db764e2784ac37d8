import GRDB
import Workload

/// The edits of queries and lists: each is looked up by its number and the seed of the run.
struct Edits {
  private let db: Database
  private let seed: Int
  private let objects: Int

  init(_ db: Database, seed: Int, _ objects: Int) {
    self.db = db
    self.seed = seed
    self.objects = objects
  }

  private func id(_ edit: Int) -> Int64 { Int64(Questions.edited(edit, seed: seed, of: objects) + 1) }

  /// A value on the other side of the half.
  func changeValue(_ edit: Int) throws {
    let value = try Int.fetchOne(db.cachedStatement(sql: SQL.value), arguments: [id(edit)]) ?? 0
    try db.cachedStatement(sql: SQL.update).execute(arguments: [Questions.otherHalf(value), id(edit)])
  }

  func changeName(_ edit: Int) throws {
    try db.cachedStatement(sql: SQL.updateName)
      .execute(arguments: [Questions.editedName(edit, seed: seed), id(edit)])
  }

  func changeDate(_ edit: Int) throws {
    let date = ItemFacts.date(Questions.editedTicks(edit, seed: seed))
    try db.cachedStatement(sql: SQL.updateDate).execute(arguments: [date, id(edit)])
  }
}
