/// Consecutive entries about one draft or scene, all in one journal.
struct JournalRun: Sendable {
  let journal: JournalContent
  let entries: ArraySlice<JournalIndex.Entry>

  /// All entries of the runs in chronological order; entries of the same time keep the order of the runs.
  static func merged(_ runs: [JournalRun]) -> [JournalRun] {
    var all: [(time: UInt64, run: Int, place: Int)] = []
    for (number, run) in runs.enumerated() {
      for place in run.entries.indices { all.append((run.journal.time(of: run.entries[place]), number, place)) }
    }
    all.sort { ($0.time, $0.run, $0.place) < ($1.time, $1.run, $1.place) }
    var merged: [JournalRun] = []
    var start = 0
    for (index, entry) in all.enumerated() {
      let next = index + 1 < all.count ? all[index + 1] : nil
      if let next, next.run == entry.run, next.place == entry.place + 1 { continue }
      let run = runs[entry.run]
      merged.append(JournalRun(journal: run.journal, entries: run.entries[all[start].place...entry.place]))
      start = index + 1
    }
    return merged
  }
}
