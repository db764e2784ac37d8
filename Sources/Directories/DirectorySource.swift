import RepriseCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The files of a folder as rows, updated as files are created, deleted, changed and renamed.
///
/// ```swift
/// let notes = DirectorySource("notes", showing: DirectoryFilter(suffixes: [".md"]))
/// try await notes.ready()
/// observation = notes.observe { [unowned self] batch in
///   if let changes = batch.changes { update(changes) } else { reload() }
/// }
/// ```
///
/// The source lists the folder once, and then looks only at the files that the system reports. Changes within 20 ms
/// become one batch, and so do all changes until the isolation of the source runs. If the system has lost
/// notifications, the source compares all files.
///
/// A row stays at its path while the path exists. So it stays if a program saves a document by replacing the file. If
/// the path is gone, the row follows its file, so a renamed file moves.
///
/// If the folder does not exist, is replaced, or cannot be listed, the source's ``loadState`` is `failed`, with a
/// `SourceError`. The source then shows the rows that it had, and tries again every second.
///
/// A symbolic link is a row, and the source does not follow it. If a file has several names (hard links), the system
/// reports only the name that was used to write it. On Linux, `inotify` reports the changes. In a network file system,
/// it reports only changes by programs on this machine, so set a `rescanInterval`. On other systems, the source looks
/// at all files every second.
///
/// The source reads files on a separate thread. Listing takes O(n) time for n files, and a changed file takes O(log n)
/// comparisons. A row takes a few hundred bytes. The source belongs to the isolation that made it.
public final class DirectorySource: RefreshableSource {
  /// The absolute path of the folder.
  public let path: String
  /// Whether the source has listed the files.
  ///
  /// It is ``LoadState/loading`` until the first listing has ended. After a failure, the source tries again every
  /// second, and announces each change with a batch.
  public private(set) var loadState = LoadState.loading
  /// The subfolders that the source cannot list, as paths relative to the folder.
  ///
  /// The source has no rows for the files in these subfolders.
  public private(set) var unreadable: [String] = []
  private var entries: SortedRows<DirectoryEntry>
  private let observers = ListObservers()
  private let refreshing = SingleFlight()
  let follower: DirectoryFollower

  /// Starts to list a folder, and returns at once.
  ///
  /// - Parameters:
  ///   - path: The folder, relative to the current folder unless the path begins with a slash.
  ///   - filter: The files to show.
  ///   - order: The order of the rows.
  ///   - rescanInterval: The time between two checks of all files, for changes that the system does not report. Each
  ///     check looks at every file.
  ///   - isolation: The isolation of the source.
  public init(
    _ path: String, showing filter: DirectoryFilter = DirectoryFilter(), sortedBy order: DirectoryOrder = .name,
    rescanInterval: Duration? = nil, isolation: isolated any Actor = #isolation
  ) {
    self.path = Self.absolute(path)
    entries = SortedRows([], by: order.areInIncreasingOrder)
    follower = DirectoryFollower(self.path, filter, order, rescanInterval: rescanInterval)
    follower.channel.start { [weak self] in self?.show($0) }
    follower.start()
  }

  deinit { follower.stop() }

  static func absolute(_ path: String) -> String {
    var path = path
    if !path.hasPrefix("/"), let current = getcwd(nil, 0) {
      path = String(cString: current) + "/" + path
      free(current)
    }
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  // MARK: Following

  /// Waits until the observers have received all changes that the system has reported so far.
  ///
  /// If the task is cancelled, it returns earlier.
  nonisolated(nonsending) public func delivered() async {
    do {
      _ = try await follower.look(atAll: false)
      await follower.channel.delivered()
    } catch {}
  }

  /// Looks at all files, and returns after the observers have received the changes.
  ///
  /// - Throws: `SourceError` if the files cannot be listed. `CancellationError` if the task was cancelled.
  /// - Complexity: O(n)
  nonisolated(nonsending) public func refresh() async throws {
    try await refreshing.run {
      let failure = try await self.follower.look(atAll: true)
      await self.follower.channel.delivered()
      if let failure { throw failure }
    }
  }

  private func show(_ reported: DirectoryChanges) {
    let before = snapshot
    unreadable = reported.unreadable
    if let loadState = reported.loadState { self.loadState = loadState }
    var changes: ListChanges?
    if let rows = reported.rows {
      entries = rows
    } else {
      changes = entries.apply(reported.upserted.values, removing: reported.removed)
    }
    if changes?.isEmpty == true {
      // The rows have not changed, but the load state may have.
      if reported.loadState == nil { return }
      changes = nil
    }
    observers.deliver(ListBatch(before: before, after: snapshot, changes: changes))
  }

  /// Calls `body` after each change until the observation ends.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { observers.add(body) }

  // MARK: Rows

  /// Returns the number of files.
  ///
  /// - Complexity: O(1)
  public func rowCount(inSection section: Int) -> Int { section == 0 ? entries.count : 0 }

  /// Returns the file of a row.
  ///
  /// Traps if the row does not exist.
  ///
  /// - Complexity: O(log n)
  public func element(at path: RowPath) -> DirectoryEntry {
    precondition(
      path.section == 0 && (0..<entries.count).contains(path.item),
      "There is no \(path.inWords): the row count of the source is \(entries.count).")
    return entries[path.item]
  }

  /// Returns the identifier of a row's file, or `nil` if the row does not exist.
  ///
  /// - Complexity: O(log n)
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? {
    path.section == 0 && path.item >= 0 && path.item < entries.count ? entries[path.item].id : nil
  }

  /// Returns the current row of an identifier.
  ///
  /// An identifier of an earlier run of the program contains a path. The result is the row of the file that was at this
  /// path when the source listed the folder. If no file was there, the result is the row of the same file under its new
  /// name. Takes O(log n) time, or O(n) if no row has the identifier.
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    if let index = entries.index(of: identifier) { return .row(RowPath(item: index)) }
    guard loadState.isLoaded else { return .notLoaded }
    guard let earlier = RowIdentifiers.parts(of: identifier) else { return .foreignStore }
    var byHandle: [DirectoryEntry] = []
    for index in 0..<entries.count {
      let entry = entries[index]
      // An identifier of this run without a row belongs to a deleted file.
      guard entry.isEarly, entry.place == earlier.place || entry.file.handle == earlier.handle,
        let name = RowIdentifiers.parts(of: entry.id)
      else { continue }
      if name.place == earlier.place, entry.place == earlier.place { return .row(RowPath(item: index)) }
      if let handle = earlier.handle, name.handle == handle { byHandle.append(entry) }
    }
    // Several entries with the handle are links to the same file, so none is the right one.
    guard byHandle.count == 1, let index = entries.index(of: byHandle[0].id) else { return .deleted }
    return .row(RowPath(item: index))
  }
}
