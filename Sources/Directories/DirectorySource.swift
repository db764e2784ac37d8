import RepriseCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The files of a folder as rows, followed as they come, go, change and are renamed.
///
/// ```swift
/// let notes = DirectorySource("notes", showing: DirectoryFilter(suffixes: [".md"]))
/// try await notes.ready()
/// observation = notes.observe { [unowned self] batch in
///   if let changes = batch.changes { update(changes) } else { reload() }
/// }
/// ```
///
/// The folder is listed once; from then on the system says which files to look at. What happens within 20 ms, or before
/// the source had its turn, is one batch. The same path is the same row, also where a program saves a document by
/// putting a new file in the place of the old one; otherwise the same file is the same row, so a file that is renamed
/// moves. Where the system lost news, all files are looked at and compared.
///
/// A folder that is not there yet, or not any more, that was replaced or may not be listed is looked at again every
/// second: until then the source's readiness is `failed`, with a `DirectoryError`, and it shows what it had.
///
/// Links are rows, and not followed. Of a file with several names (hard links) the system tells only the one through
/// which it was written. On Linux, `inotify` has the news: of a network's file system only those of this
/// machine's programs, so give a `rescanInterval`. On other systems all files are looked at every second.
///
/// Reading the files happens on a thread of its own, at a cost of O(files) at first, and O(log n) comparisons for each
/// file that changes; a row takes a few hundred bytes. The source belongs to the isolation in which it was made.
public final class DirectorySource: RefreshableSource {
  /// The folder, from the root.
  public let path: String
  /// Whether the files were listed. A later batch may bring them after a failure.
  public private(set) var readiness = Readiness.pending
  /// The folders below that may not be listed, by their paths from the folder: their files are missing.
  public private(set) var unreadable: [String] = []
  private var entries: SortedRows<DirectoryEntry>
  private let observers = ListObservers()
  private let refreshing = SingleFlight()
  let follower: DirectoryFollower

  /// Begins to list a folder, and returns at once.
  ///
  /// - Parameters:
  ///   - path: The folder; from the current one unless it begins with a slash.
  ///   - filter: Which files are shown.
  ///   - order: In which order.
  ///   - rescanInterval: How often all files are looked at, in case that the system has no news of them. Costs a look
  ///     at each file.
  ///   - isolation: That of the source.
  public init(
    _ path: String, showing filter: DirectoryFilter = DirectoryFilter(), sortedBy order: DirectoryOrder = .name,
    rescanInterval: Duration? = nil, isolation: isolated any Actor = #isolation
  ) {
    self.path = Self.absolute(path)
    entries = SortedRows([], by: order.areInIncreasingOrder)
    follower = DirectoryFollower(self.path, filter, order, rescanInterval: rescanInterval)
    follower.feed.start { [weak self] in self?.show($0) }
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

  /// Returns once the observers have received what happened to the files until now, as far as the system has news of
  /// it; earlier if the task is cancelled.
  nonisolated(nonsending) public func delivered() async {
    do {
      _ = try await follower.look(atAll: false)
      await follower.feed.delivered()
    } catch {}
  }

  /// Looks at all files, and returns once the observers have received what is new. O(files).
  ///
  /// - Throws: `DirectoryError`: they cannot be listed; `CancellationError` if the task was cancelled.
  nonisolated(nonsending) public func refresh() async throws {
    try await refreshing.run {
      let failure = try await self.follower.look(atAll: true)
      await self.follower.feed.delivered()
      if let failure { throw failure }
    }
  }

  private func show(_ news: DirectoryNews) {
    let before = snapshot
    unreadable = news.unreadable
    if let readiness = news.readiness { self.readiness = readiness }
    var changes: ListChanges?
    if let rows = news.rows {
      entries = rows
    } else {
      changes = entries.apply(news.upserted.values, removing: news.removed)
    }
    if changes?.isEmpty == true {
      // Only what the source says of itself changed, if anything.
      if news.readiness == nil { return }
      changes = nil
    }
    observers.deliver(ListBatch(before: before, after: snapshot, changes: changes))
  }

  /// Calls `body` after each change, as long as the observation lives.
  public func observe(_ body: @escaping (ListBatch) -> Void) -> ListObservation { observers.add(body) }

  // MARK: Rows

  /// 1: there are no sections.
  public var sectionCount: Int { 1 }

  /// `nil`: there are no sections.
  public func sectionName(_ section: Int) -> String? { nil }

  /// How many files there are. O(1).
  public func rowCount(inSection section: Int) -> Int { section == 0 ? entries.count : 0 }

  /// The file of a row, which must exist. O(log n).
  public func element(at path: RowPath) -> DirectoryEntry {
    precondition(path.section == 0, "There is no section \(path.section).")
    return entries[path.item]
  }

  /// The identifier of the file of a row; `nil` if there is no such row. O(log n).
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? {
    path.section == 0 && path.item >= 0 && path.item < entries.count ? entries[path.item].id : nil
  }

  /// Where the file of an identifier is now. One of an earlier run leads to the file that had its path when this one
  /// began, or else to the same file under another name.
  ///
  /// O(log n); O(n) for an identifier that no row has.
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    if let index = entries.index(of: identifier) { return .row(RowPath(item: index)) }
    guard readiness.isReady else { return .notLoaded }
    guard let earlier = RowNames.parts(of: identifier) else { return .foreignStore }
    var byHandle: [DirectoryEntry] = []
    for index in 0..<entries.count {
      let entry = entries[index]
      // An identifier of this run that no row has was that of a file that is gone.
      guard entry.isEarly, entry.place == earlier.place || entry.file.handle == earlier.handle,
        let name = RowNames.parts(of: entry.id)
      else { continue }
      if name.place == earlier.place, entry.place == earlier.place { return .row(RowPath(item: index)) }
      if let handle = earlier.handle, name.handle == handle { byHandle.append(entry) }
    }
    // Several are links to one file.
    guard byHandle.count == 1, let index = entries.index(of: byHandle[0].id) else { return .deleted }
    return .row(RowPath(item: index))
  }
}
