import CRepriseFaults
import RepriseEventStore

/// Makes a store, and looks what of it a power cut could take once it is open.
enum DurableMaking {
  static func run(_ path: String) throws {
    let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
    let name = String(path.dropFirst(folder.utf8.count + 1))
    let file = folder + "-recording"
    reprise_faults_watch(folder)
    reprise_faults_record(file)
    _ = try Store.openNow(path, for: schema, StoreOptions())
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
    say("changes \(recording.changes.count)")
  }
}
