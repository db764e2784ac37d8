import CRepriseFaults
import RepriseEventStore
import RepriseTestSeeds

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Processes whose changes are recorded, and what the power leaves when it is cut at any moment of theirs.
enum PowerCuts {
  /// Records what this process changes in the store's folder, and what it says, if it was called with a recording.
  static func record(_ arguments: Arguments) {
    let recording = arguments["recording"]
    if recording.isEmpty { return }
    reprise_faults_watch(arguments.path.parentFolder)
    reprise_faults_record(recording)
  }

  /// Another program on the same store, which takes over what dead processes left, and checkpoints it.
  static func visit(_ arguments: Arguments) async throws {
    var options = StoreOptions()
    options.journal.checkpointDelay = 0
    let store = try Store.openNow(arguments.path, for: schema, options)
    try await Task.sleep(nanoseconds: UInt64(arguments.number("microseconds")) * 1_000)
    if arguments["closes"] == "yes" { try await store.close() }
  }

  /// Says what was said in the recording, then for each image what a `Saver` finds in it.
  @MainActor static func open(_ arguments: Arguments) async throws {
    let recording = try Recording(arguments["of"])
    let end = recording.changes.count
    var marks: [Int] = []
    for (place, change) in recording.changes.enumerated() where change.is(REPRISE_MARK) {
      marks.append(place)
      say("said \(change.path)")
    }
    var random = SeededGenerator(seed: UInt64(arguments.number("seed")))
    try requireAll(of: recording, in: arguments["worked"])
    // Before the store is open for the first time nothing is promised.
    let first = marks.first ?? end
    for image in 0..<arguments.number("images") {
      let moment = Int.random(in: first...end, using: &random)
      let place = "\(arguments.path)-\(image)"
      say("image \(image) cut \(moment) of \(end) after \(marks.prefix { $0 < moment }.count)")
      do {
        try write(PowerCut(recording, before: moment).image(&random), to: place)
        try await look(place + "/store", seed: image)
      } catch {
        problem("\(error)")
      }
      if arguments["keeps"] == String(image) { continue }
      try Disk.removeStore(place + "/store")
      try Disk.removeStore(place)
    }
  }

  /// An image of a recording that lacks a change shows what no power cut leaves.
  private static func requireAll(of recording: Recording, in folder: String) throws {
    var random = SeededGenerator(seed: 0)
    // LMDB changes the lock file in memory, unseen.
    for (name, bytes) in PowerCut(all: recording).image(&random).files where !name.hasSuffix("/lock.mdb") {
      // The system adds zeros where it has only allocated room.
      func content(_ bytes: [UInt8]) -> ArraySlice<UInt8> { bytes[...(bytes.lastIndex { $0 != 0 } ?? -1)] }
      let isWhole = content(try Disk.read("\(folder)/\(name)")) == content(bytes)
      if !isWhole { problem("the recording of \(name) is not whole") }
    }
  }

  @MainActor private static func look(_ path: String, seed: Int) async throws {
    let saver = try Saver(Arguments(["", "save", path, "seed=\(seed)"]))
    let report = try await StoreMaintenance.verify(saver.store)
    if !report.isSound { problem("\(report)") }
    try await saver.restoreScreen()
    try saver.lookAround()
    try saver.undoAll()
    await saver.store.abandon()
  }

  static func write(_ image: (files: [String: [UInt8]], folders: Set<String>), to path: String) throws {
    try makeFolder(path)
    for folder in image.folders.sorted() { try makeFolder("\(path)/\(folder)") }
    for (name, bytes) in image.files { try Disk.write(bytes, to: "\(path)/\(name)", mode: 0o600) }
  }

  static func makeFolder(_ path: String) throws {
    if mkdir(path, 0o700) != 0 { throw Disk.Failure(operation: "make", path: path, code: errno) }
  }
}
