import CRepriseFaults
import RepriseEventStore
import RepriseObjectGraph

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a disk has after a power cut: the changes up to some moment of a recording; of those that no flush covered,
/// some are there, some are not, and some in part.
struct PowerCut {
  private static let sector = 512
  private let recording: Recording
  private let moment: Int
  /// For each change before the moment, whether the disk has promised to have it.
  private var isSure: [Bool]

  init(_ recording: Recording, before moment: Int) {
    self.recording = recording
    self.moment = moment
    isSure = [Bool](repeating: false, count: moment)
    for (place, change) in recording.changes[..<moment].enumerated() {
      if change.isFlushedAtOnce { isSure[place] = true }
      guard change.is(REPRISE_FLUSH) else { continue }
      for earlier in 0..<min(change.covered, moment) where covers(change, recording.changes[earlier]) {
        isSure[earlier] = true
      }
    }
  }

  /// A flush of a file has its bytes, one of a folder the names in it.
  private func covers(_ flush: Recording.Change, _ change: Recording.Change) -> Bool {
    if change.isOfBytes { return flush.path == change.path }
    return flush.isDirectory && change.folder == flush.path
  }

  /// What is found at each path, and the folders that are there.
  func image(_ random: inout SeededGenerator) -> (files: [String: [UInt8]], folders: Set<String>) {
    var files: [String: [UInt8]] = [:]
    var folders: Set<String> = []
    // A file system keeps the order in which names changed: what is lost of those is the last ones of a folder.
    var lost: Set<String> = []
    // The bytes go with the file, wherever its name leads.
    for place in 0..<moment {
      let change = recording.changes[place]
      if change.isOfBytes {
        guard files[change.path] != nil else { continue }
        apply(change, isWhole: isSure[place], to: &files[change.path]!, &random)
        continue
      }
      if change.is(REPRISE_FLUSH) || change.is(REPRISE_ALLOCATE) { continue }
      if !isSure[place], lost.contains(change.folder) || Int.random(in: 0..<4, using: &random) == 0 {
        lost.insert(change.folder)
      } else {
        rename(change, &files, &folders)
      }
    }
    // What has a name in a folder without one is not to be found.
    return (files.filter { folders.contains($0.key.parentFolder) }, folders)
  }

  private func rename(_ change: Recording.Change, _ files: inout [String: [UInt8]], _ folders: inout Set<String>) {
    if change.is(REPRISE_MAKE) {
      if change.isDirectory { folders.insert(change.path) } else { files[change.path] = [] }
    } else if change.is(REPRISE_RENAME) {
      files[change.other] = files.removeValue(forKey: change.path)
    } else if change.is(REPRISE_REMOVE) {
      files[change.path] = nil
      folders.remove(change.path)
    }
  }

  private func apply(
    _ change: Recording.Change, isWhole: Bool, to bytes: inout [UInt8], _ random: inout SeededGenerator
  ) {
    let fate = isWhole ? 0 : Int.random(in: 0..<3, using: &random)
    if fate == 1 { return }
    if change.is(REPRISE_TRUNCATE) {
      bytes = Array(bytes.prefix(change.offset))
      bytes += [UInt8](repeating: 0, count: change.offset - bytes.count)
      return
    }
    let end = change.offset + change.bytes.count
    if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    var start = change.offset
    while start < end {
      let next = min(end, (start / Self.sector + 1) * Self.sector)
      if fate == 0 || Bool.random(using: &random) {
        bytes.replaceSubrange(start..<next, with: change.bytes[start - change.offset..<next - change.offset])
      }
      start = next
    }
  }
}

extension Recording.Change {
  fileprivate var isOfBytes: Bool { self.is(REPRISE_WRITE) || self.is(REPRISE_TRUNCATE) }
  fileprivate var folder: String { path.parentFolder }
}

extension String {
  fileprivate var parentFolder: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "." }
}

/// Records a program that makes a store, saves and types, cuts the power at moments all over the recording, and opens
/// what is left.
enum PowerCuts {
  static func run(_ path: String, images: Int, seed: UInt64, durability: Durability) async throws {
    let folder = path + "-worked"
    try makeFolder(folder)
    let file = path + "-recording"
    reprise_faults_watch(folder)
    reprise_faults_record(file)
    try await work(folder + "/store", durability)
    reprise_faults_record("/dev/null")
    let recording = try Recording(file)
    try Disk.remove(file)
    let end = recording.changes.count
    var random = SeededGenerator(seed: seed)
    var opened = 0
    var kept = 0
    // Before the store is open for the first time nothing is promised.
    let first = recording.changes.firstIndex { $0.is(REPRISE_MARK) } ?? end
    for image in 0..<images {
      let moment = Int.random(in: first...end, using: &random)
      let left = PowerCut(recording, before: moment).image(&random)
      let marks = recording.changes[..<moment].filter { $0.is(REPRISE_MARK) }.compactMap { Int($0.path) }
      let place = "\(path)-\(image)"
      try write(left, to: place)
      let acknowledged = marks.last ?? 0
      let found = try await look(place + "/store", "image \(image), cut before \(moment) of \(end)")
      guard let found else { continue }
      opened += 1
      if durability == .full && found < acknowledged {
        problem("image \(image), cut before \(moment) of \(end): \(acknowledged) was saved, and \(found) is there")
      }
      if found >= acknowledged { kept += 1 }
      try Disk.removeStore(place + "/store")
      try Disk.removeStore(place)
    }
    say("changes \(end) images \(images) opened \(opened) kept \(kept)")
  }

  /// Saves of several sizes, drafts that are typed, saved and folded, in several lives of the program.
  private static func work(_ path: String, _ durability: Durability) async throws {
    var stamp = 0
    for life in 0..<4 {
      let store = try Store.openNow(path, for: schema, StoreOptions(durability: durability))
      if life == 0 { reprise_faults_mark("0") }
      let context = RootContext(store, author: "ada", isolation: nil)
      let desk = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
      for number in 0..<6 {
        stamp += 1
        try Lane.edit(1, to: stamp, renewing: stamp % 5 == 4, in: context)
        try await context.save("Save \(stamp)")
        reprise_faults_mark(String(stamp))
        try Lane.edit(2, to: stamp, renewing: true, in: desk)
        if number % 2 == 0 { try store.journal.write() } else { try store.journal.flush() }
        if number == 3 { try await desk.save("Desk") }
      }
      if life % 2 == 0 { try await store.close() } else { await store.abandon() }
    }
  }

  /// The last stamp that is saved; `nil` where the store is not whole, which is said.
  private static func look(_ path: String, _ what: String) async throws -> Int? {
    do {
      return try await withStore(path) { store in
        let report = try store.verifyNow()
        if !report.isSound { problem("\(what): \(report)") }
        let context = RootContext(store, isolation: nil)
        guard case .whole(let stamp) = try Lane.read(1, in: context) else {
          problem("\(what): part of a save")
          return nil
        }
        // What is typed may be there in part: a frame that was not flushed can be lost before one that was not lost.
        _ = try RootContext(store, author: "ada", draft: "desk", isolation: nil)
        return stamp
      }
    } catch {
      problem("\(what): \(error)")
      return nil
    }
  }

  private static func write(_ image: (files: [String: [UInt8]], folders: Set<String>), to path: String) throws {
    try makeFolder(path)
    for folder in image.folders.sorted() { try makeFolder("\(path)/\(folder)") }
    for (name, bytes) in image.files { try Disk.write(bytes, to: "\(path)/\(name)", mode: 0o600) }
  }

  private static func makeFolder(_ path: String) throws {
    if mkdir(path, 0o700) != 0 { throw Disk.Failure(operation: "make", path: path, code: errno) }
  }
}
