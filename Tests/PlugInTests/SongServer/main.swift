import Foundation
import RepriseCore
import ReprisePostgreSQL
import RepriseSharing
import Songs

// A server of PostgreSQLProcessTests: it saves and follows. The words are the store, the name of its saves, its
// ledger, its patience in milliseconds, and the database.

signal(SIGPIPE, SIG_IGN)
let words = CommandLine.arguments
guard words.count == 6, let patience = Int(words[4]) else {
  FileHandle.standardError.write(Data("SongServer STORE NAME LEDGER PATIENCE DATABASE\n".utf8))
  exit(2)
}
let ledger = Ledger(words[3])
do {
  let log = SharedLog(PostgreSQLLog(words[5]), patience: .milliseconds(patience))
  let store = try await Store.open(words[1], for: Song.self, sharing: log)
  let list = try FetchedList(Fetch<Song>().sorted { $0.title }, in: store.mainContext)
  let feed = FeedReader(store)
  // Two at a time, so that saves of several tasks share a packet.
  let writers = (0..<2).map { SongWriter(store, ledger, name: "\(words[2]).\($0)") }
  let tasks = writers.map { writer in Task { await writer.run() } }
  commands: for await command in Commands.all() {
    switch command {
    case "state": Commands.answer(ServerReport(store, list.count, feed).text)
    case "rest":
      for writer in writers { writer.stop() }
      for task in tasks { await task.value }
      Commands.answer("resting")
    default: break commands
    }
  }
  try await store.close()
} catch {
  ledger.add("failed \(error)")
  exit(1)
}
exit(0)
