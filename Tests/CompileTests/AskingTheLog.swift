import Foundation
import Reprise

@Model final class Note {
  var title: String
  var stars: Int = 0
  init(title: String) { self.title = title }
}

struct NotesByAuthor: LogProjection {
  let name = "notes by author"
  let version = 1

  func apply(_ transaction: LoggedTransaction, to rows: inout ProjectionRows) {
    rows[number: [.string(transaction.author ?? "")]] += transaction.inserted.count
  }
}

// The programs of the article "Asking the log".

@MainActor func article() async throws {
  let store = try await Store.open("notes.reprise", for: Note.self)
  let context = RootContext(store, author: "Ada")
  let note = context.insert(Note(title: "Tea"))
  let added = try await context.save("Add note")
  note.title = "Green tea"
  let renamed = try await context.save("Rename note")

  if let transaction = try store.log.transaction(at: renamed) {
    print(transaction.author ?? "somebody", transaction.name ?? "unnamed", transaction.date)
    for change in transaction.changes { print(change.object, change.kind, change.properties) }
  }

  for change in try context.history(of: note, { $0.title }) {
    print(change.old ?? "nothing", "→", change.new ?? "nothing", "by", change.transaction.author ?? "somebody")
  }
  print("The title is by", try context.blame(for: note)["title"]?.author ?? "somebody")

  let favourites = Fetch<Note> { $0.stars > 3 }
  var count = try context.count(favourites)
  for change in try context.history(of: favourites, limit: 20) {
    print(change.transaction.date, count, "after", change.added.count, "came and", change.removed.count, "went")
    count += change.removed.count - change.added.count
  }

  let before = try store.context(at: added)
  let old = try before.object(note.id)
  note.title = old.title
  let yesterday = try store.context(at: Date(timeIntervalSinceNow: -86_400))
  print(try yesterday.count(Fetch<Note>()), "notes a day ago")

  do {
    try context.revert(transactionAt: renamed)
  } catch RevertError.refused(let refusal) where refusal.violations.isEmpty {
    for conflict in refusal.conflicts { print(conflict, "because of", refusal.transactions[conflict] ?? []) }
    try context.revert(transactionAt: renamed, merging: .custom { $0.attribute == "title" ? .mine : .theirs })
  }
  try await context.save()

  context.undoesSaves = true
  context.undo()
  if let reason = context.undoFailure { print(reason) }
  print(try store.log.undoable(by: "Ada").map { $0.name ?? "unnamed" }, context.undoName ?? "nothing")
  try await context.save()

  let report = try await StoreMaintenance.backup(store, to: "notes-backup.reprise") { print($0.fractionCompleted) }
  print("up to transaction", report.position)

  let retained = try await store.log.retain(.younger(than: .seconds(90 * 24 * 3_600)))
  print("the log begins with", retained.firstPosition, "and is blocked by", retained.blockedBy)

  let token = try store.log.token(at: added)
  let reader = Task {
    for try await transaction in store.log.feed(after: token, matching: TransactionFilter(entities: ["Note"])) {
      print(transaction)
    }
  }
  reader.cancel()

  try await store.log.install(NotesByAuthor())
  try await store.log.waitForProjections()
  print(try context.number(of: NotesByAuthor(), at: [.string("Ada")]), "notes by Ada")

  try await store.close()
  let erased = try await StoreMaintenance.erase([Erasure(of: note.id.any, ["title"])], in: "notes.reprise")
  print(erased.transactions, "transactions lost a title, and", erased.discardedDrafts, "are gone")
}
