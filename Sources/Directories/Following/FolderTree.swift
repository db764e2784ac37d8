import RepriseCore

/// The known content of a folder and its subfolders, and its differences from the disk.
///
/// Notifications of the system only show which files to compare with the disk. So the result does not depend on the
/// order of notifications, and after a loss of some, everything is compared in the same way.
struct FolderTree {
  /// The folders and files to check.
  struct Suspects {
    var names: [(folder: FolderNode, name: PathBytes)] = []
    /// Whether all present and former names are suspects.
    var isAll = false
    var isEmpty: Bool { names.isEmpty && !isAll }
  }

  /// The changes of rows.
  struct Changes {
    var upserted: [DirectoryEntry] = []
    var removed: [ModelIdentifier] = []
  }

  private let path: [UInt8]
  private let filter: DirectoryFilter
  private let watching: (_ folder: FolderNode, _ path: [UInt8]) throws(SystemError) -> Void
  private let unwatching: (FolderNode) -> Void
  private(set) var root: FolderNode?
  private var names = RowIdentifiers()
  /// The rows of a deleted folder, which are shown until the folder exists again.
  private var orphans: [DirectoryEntry] = []
  private var isFirst = true
  /// The folders that the program may not list.
  private(set) var unreadable: Set<PathBytes> = []

  /// - Parameters:
  ///   - watching: Called with a folder before it is listed, and its path.
  ///   - unwatching: Called with a folder that is gone.
  init(
    _ path: [UInt8], _ filter: DirectoryFilter,
    watching: @escaping (_ folder: FolderNode, _ path: [UInt8]) throws(SystemError) -> Void,
    unwatching: @escaping (FolderNode) -> Void
  ) {
    self.path = path
    self.filter = filter
    self.watching = watching
    self.unwatching = unwatching
  }

  func path(of place: PathBytes) -> [UInt8] {
    place.bytes.isEmpty ? path : path + [UInt8(ascii: "/")] + place.bytes
  }

  /// Whether the path still leads to the known folder.
  var isCurrent: Bool {
    guard let root, let status = try? FileStatus(path, followingLinks: true) else { return false }
    return status.kind == .directory && status.file.inode == root.file.inode
      && status.file.device == root.file.device
  }

  /// Forgets the folder, and keeps its rows.
  mutating func detach() {
    guard let root else { return }
    for folder in root.all {
      unwatching(folder)
      orphans += folder.rows.values
    }
    self.root = nil
    unreadable = []
  }

  /// Checks the suspects. If no folder is known, checks everything. After a failure, no folder is known.
  mutating func update(_ suspects: Suspects) throws(SystemError) -> Changes {
    var step = Step()
    for row in orphans { step.before[row.place] = row }
    orphans = []
    do throws(SystemError) {
      try look(suspects, &step)
    } catch {
      orphans = Array(step.before.values)
      detach()
      throw error
    }
    defer { isFirst = false }
    return changes(step)
  }

  private mutating func look(_ suspects: Suspects, _ step: inout Step) throws(SystemError) {
    guard let root else { return try open(&step) }
    if suspects.isAll {
      for folder in root.all { try lookAtAll(folder, &step) }
    } else {
      for suspect in suspects.names { try look(suspect.name, in: suspect.folder, &step) }
    }
  }

  // MARK: Looking

  /// The former rows by their paths, and the present ones.
  private struct Step {
    var before: [PathBytes: DirectoryEntry] = [:]
    var now: [(folder: FolderNode, name: PathBytes, status: FileStatus)] = []
    /// Deleted folders. They are retained until the end, so that no new folder gets the identity of one.
    var gone: [ObjectIdentifier: FolderNode] = [:]
    var seen: Set<Name> = []

    struct Name: Hashable {
      let folder: ObjectIdentifier
      let name: PathBytes
    }

    func isGone(_ folder: FolderNode) -> Bool { gone[ObjectIdentifier(folder)] != nil }
  }

  private mutating func open(_ step: inout Step) throws(SystemError) {
    let status = try FileStatus(path, followingLinks: true)
    guard status.kind == .directory else { throw .notADirectory }
    let root = FolderNode(.root, status.file)
    self.root = root
    try watching(root, path)
    let names = try FolderListing.names(path)
    for name in names { try look(name, in: root, &step) }
  }

  private mutating func lookAtAll(_ folder: FolderNode, _ step: inout Step) throws(SystemError) {
    guard !step.isGone(folder) else { return }
    var names: [PathBytes] = []
    do throws(SystemError) {
      names = try FolderListing.names(path(of: folder.place))
      unreadable.remove(folder.place)
    } catch {
      if folder.place == .root { throw error }
      if error.isRefusal { unreadable.insert(folder.place) }
    }
    for name in Set(names).union(folder.rows.keys).union(folder.folders.keys) { try look(name, in: folder, &step) }
  }

  private mutating func look(_ name: PathBytes, in folder: FolderNode, _ step: inout Step) throws(SystemError) {
    guard !step.isGone(folder) else { return }
    guard step.seen.insert(Step.Name(folder: ObjectIdentifier(folder), name: name)).inserted else { return }
    let place = folder.place.appending(name)
    let status = try? FileStatus(path(of: place))
    if let row = folder.rows.removeValue(forKey: name) { step.before[place] = row }
    if let below = folder.folders[name], status?.kind != .directory || status?.file != below.file {
      folder.folders[name] = nil
      forget(below, &step)
    }
    guard let status else { return }
    if filter.shows(name, status.kind) { step.now.append((folder, name, status)) }
    if status.kind == .directory, filter.looksInto(name), folder.folders[name] == nil {
      try add(FolderNode(place, status.file), name, to: folder, &step)
    }
  }

  private mutating func forget(_ folder: FolderNode, _ step: inout Step) {
    for folder in folder.all {
      step.gone[ObjectIdentifier(folder)] = folder
      for row in folder.rows.values { step.before[row.place] = row }
      unreadable.remove(folder.place)
      unwatching(folder)
    }
  }

  /// Adds an unknown folder. The folder is watched before it is listed, so that no change is missed.
  private mutating func add(
    _ new: FolderNode, _ name: PathBytes, to folder: FolderNode, _ step: inout Step
  ) throws(SystemError) {
    folder.folders[name] = new
    let names: [PathBytes]
    do throws(SystemError) {
      try watching(new, path(of: new.place))
      names = try FolderListing.names(path(of: new.place))
    } catch {
      if error.isRefusal { unreadable.insert(new.place) }
      // If the folder was deleted meanwhile, a notification follows.
      if error.isRefusal || error.isAbsence { return }
      throw error
    }
    for name in names { try look(name, in: new, &step) }
  }

  // MARK: Telling

  /// Assigns the found files to rows. First, a file at the path of a row keeps the row, even if a program saved it by
  /// replacing the file. Then, a moved file keeps its row.
  private mutating func changes(_ step: Step) -> Changes {
    var changes = Changes()
    var before = step.before
    var arrivals: [(folder: FolderNode, name: PathBytes, status: FileStatus)] = []
    for found in step.now where !step.isGone(found.folder) {
      if let row = before.removeValue(forKey: found.folder.place.appending(found.name)) {
        keep(row, found.folder, found.name, found.status, &changes)
      } else {
        arrivals.append(found)
      }
    }
    var byFile: [FileIdentity: [DirectoryEntry]] = [:]
    if !arrivals.isEmpty { for row in before.values { byFile[row.file, default: []].append(row) } }
    for found in arrivals {
      if let row = byFile[found.status.file]?.popLast() {
        before[row.place] = nil
        keep(row, found.folder, found.name, found.status, &changes)
      } else {
        let place = found.folder.place.appending(found.name)
        let row = DirectoryEntry(names.name(place, found.status.file), place, found.status, isEarly: isFirst)
        found.folder.rows[found.name] = row
        changes.upserted.append(row)
      }
    }
    for row in before.values {
      names.release(row.id)
      changes.removed.append(row.id)
    }
    return changes
  }

  private func keep(
    _ row: DirectoryEntry, _ folder: FolderNode, _ name: PathBytes, _ status: FileStatus, _ changes: inout Changes
  ) {
    let new = DirectoryEntry(row.id, folder.place.appending(name), status, isEarly: row.isEarly)
    folder.rows[name] = new
    if new != row { changes.upserted.append(new) }
  }
}
