import RepriseEventStore
import RepriseObjectGraph

/// Two processes of one author, and a third that hears of each transaction from its feed.
enum Hearing {
  private static let lane = 101

  /// Tells of each transaction what the store had then, until the last one.
  static func hear(_ path: String) async throws {
    let store = try openStore(path)
    let token = try store.log.headToken()
    let feed = store.log.feed(after: token)
    say("listens \(token.position)")
    for try await transaction in feed {
      // More may have been saved since.
      let cell = try Counting.cell(lane, store.context(at: transaction.position, isolation: nil))
      let undoes = transaction.undoes?.description ?? "nothing"
      say("heard \(transaction.position) undoes \(undoes) stamp \(cell.stamp) text \(cell.text.utf8.count)")
      if transaction.name == "End" { break }
    }
  }

  /// Saves a number, and then a long text.
  static func tell(_ path: String) async throws {
    let context = RootContext(try openStore(path), author: "ada", isolation: nil)
    let cell = try Counting.cell(lane, context)
    cell.stamp = 5
    try await context.save("Count")
    cell.text = String(repeating: "word ", count: 20_000)
    try await context.save("Write")
  }

  /// Takes back the text and the number, each in a save, and brings the number again.
  static func takeBack(_ path: String) async throws {
    let context = RootContext(try openStore(path), author: "ada", isolation: nil)
    context.undoesSaves = true
    for _ in 0..<2 {
      context.undo()
      if let reason = context.undoFailure { problem("\(reason)") }
      try await context.save()
    }
    context.redo()
    try await context.save()
    try Counting.cell(lane, context).name = "end"
    try await context.save("End")
  }
}
