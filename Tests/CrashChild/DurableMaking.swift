import CRepriseFaults
import RepriseEventStore

/// Makes a store, and looks what of it a power cut could take once it is open.
enum DurableMaking {
  /// - Parameter old: A store that is salvaged to the new one; empty if it is just made.
  static func run(_ path: String, salvaging old: String) async throws {
    if !old.isEmpty { try await WorkProgram().prepare(old) }
    let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
    let name = String(path.dropFirst(folder.utf8.count + 1))
    let file = folder + "-recording"
    reprise_faults_watch(folder)
    reprise_faults_record(file)
    if old.isEmpty {
      _ = try Store.openNow(path, for: schema, StoreOptions())
    } else {
      try await StoreMaintenance.salvage(old, to: path)
    }
    let recording = try Recording(file)
    try Disk.remove(file)
    // Without its mark a store is taken for one that was whole.
    let end = recording.first(REPRISE_REMOVE, name + "/new") ?? recording.changes.count
    for (made, flushed) in [(name, "."), (name + "/data.mdb", name)] {
      guard let place = recording.first(REPRISE_MAKE, made) else {
        problem("\(made) was not made")
        continue
      }
      if !recording.isFlushed(place, by: flushed, before: end) { problem("the name \(made) is not flushed") }
    }
    look(recording, name + "/journals", in: name, before: end, count: old.isEmpty ? 0 : 1)
    say("changes \(recording.changes.count)")
  }

  /// Journals are written whole before they get their names.
  private static func look(
    _ recording: Recording, _ journals: String, in name: String, before end: Int, count: Int
  ) {
    var made = 0
    for (place, change) in recording.changes[..<end].enumerated() where change.path.hasPrefix(journals + "/") {
      guard change.is(REPRISE_RENAME) else { continue }
      made += 1
      let isFlushed =
        recording.changes[..<place].contains { $0.is(REPRISE_FLUSH) && $0.path == change.path }
        && recording.isFlushed(place, by: journals, before: end)
      if !isFlushed { problem("\(change.other) is not flushed") }
    }
    if made != count { problem("\(made) journals are made") }
    if let place = recording.first(REPRISE_MAKE, journals), !recording.isFlushed(place, by: name, before: end) {
      problem("the name \(journals) is not flushed")
    }
  }
}
