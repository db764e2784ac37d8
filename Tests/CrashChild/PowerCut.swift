import CRepriseFaults
import RepriseTestSeeds

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
    var isDropped = isSure
    var isLate = recording.changes[..<moment].map(\.isLate)
    // Where the bytes are: they go with the file, wherever its name leads.
    var paths = recording.changes[..<moment].map(\.path)
    for (place, change) in recording.changes[..<moment].enumerated() {
      if change.isFlushedAtOnce { isSure[place] = true }
      if change.is(REPRISE_RENAME) {
        for earlier in 0..<place where paths[earlier] == change.path { paths[earlier] = change.other }
      }
      guard change.is(REPRISE_FLUSH) || change.is(REPRISE_DROP) else { continue }
      for earlier in 0..<min(change.covered, moment)
      where covers(change, recording.changes[earlier], at: paths[earlier]) {
        if change.is(REPRISE_DROP) {
          isDropped[earlier] = !isSure[earlier]
        } else if isLate[earlier] {
          isLate[earlier] = false
        } else if !isDropped[earlier] {
          isSure[earlier] = true
        }
      }
    }
  }

  /// What the processes left: every change is there.
  init(all recording: Recording) {
    self.recording = recording
    moment = recording.changes.count
    isSure = [Bool](repeating: true, count: moment)
  }

  /// A flush of a file has its bytes, one of a folder the names in it.
  private func covers(_ flush: Recording.Change, _ change: Recording.Change, at path: String) -> Bool {
    if change.isOfBytes { return flush.path == path }
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
      guard change.isOfNames else { continue }
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
  fileprivate var isOfNames: Bool { self.is(REPRISE_MAKE) || self.is(REPRISE_RENAME) || self.is(REPRISE_REMOVE) }
  fileprivate var folder: String { path.parentFolder }
}

extension String {
  var parentFolder: String { lastIndex(of: "/").map { String(self[..<$0]) } ?? "." }
}
