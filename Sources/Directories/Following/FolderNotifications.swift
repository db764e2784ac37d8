import Dispatch

/// The system's notifications about followed folders. Used on one queue. On systems without notifications, everything
/// must be compared.
final class FolderNotifications {
  /// The folders and files with notifications.
  struct Pending {
    var names: [(folder: FolderNode, name: PathBytes)] = []
    /// Whether there may be further events.
    var isIncomplete = false
  }

  /// Whether everything is also compared regularly, so that folders beyond the system's limits need not be watched.
  private let isDispensable: Bool

  init(isDispensable: Bool) { self.isDispensable = isDispensable }

  #if os(Linux)
  static let isAvailable = true
  private var inotify: Inotify?
  private var source: (any DispatchSourceRead)?
  private var folders: [Int32: FolderNode] = [:]
  private var ancestors: Set<Int32> = []

  /// Begins, unless it has begun. Calls `body` on the queue again and again until `take()` has returned new
  /// notifications.
  func begin(_ queue: DispatchQueue, _ body: @escaping () -> Void) {
    guard inotify == nil, let inotify = try? Inotify() else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: inotify.descriptor, queue: queue)
    source.setEventHandler(handler: body)
    source.setCancelHandler { inotify.end() }
    source.resume()
    (self.inotify, self.source) = (inotify, source)
  }

  func end() {
    source?.cancel()
    (inotify, source) = (nil, nil)
    folders = [:]
  }

  /// Also notifies when an ancestor of the folder moves.
  func watchAncestors(of path: String) {
    guard let inotify else { return }
    for watch in ancestors { inotify.remove(watch) }
    ancestors = []
    var path = path[...]
    while let slash = path.lastIndex(of: "/") {
      path = path[..<slash]
      // Ancestors that the system refuses to watch are skipped, because they hardly ever move.
      if path.isEmpty { break }
      if let watch = try? inotify.watchItself(Array(path.utf8)) { ancestors.insert(watch) }
    }
  }

  func watch(_ folder: FolderNode, _ path: [UInt8]) throws(SystemError) {
    do throws(SystemError) {
      guard let inotify else { throw .tooManyWatches }
      let watch = try inotify.watch(path)
      folder.watch = watch
      folders[watch] = folder
    } catch {
      if !isDispensable || !error.isLimit { throw error }
    }
  }

  func unwatch(_ folder: FolderNode) {
    guard let watch = folder.watch else { return }
    folder.watch = nil
    // If the folder was moved, another node may watch it by now, under the same number.
    guard folders[watch] === folder else { return }
    folders[watch] = nil
    inotify?.remove(watch)
  }

  func take() -> Pending {
    var pending = Pending()
    guard let events = inotify?.takeEvents() else { return pending }
    pending.isIncomplete = events.hasOverflowed
    var seen: Set<Inotify.Event> = []
    // Events of a folder itself are skipped, because each turn checks whether the folder exists.
    for event in events.events where !event.name.bytes.isEmpty && seen.insert(event).inserted {
      if let folder = folders[event.watch] { pending.names.append((folder, event.name)) }
    }
    return pending
  }
  #else
  static let isAvailable = false
  func begin(_ queue: DispatchQueue, _ body: @escaping () -> Void) {}
  func end() {}
  func watchAncestors(of path: String) {}
  func watch(_ folder: FolderNode, _ path: [UInt8]) {}
  func unwatch(_ folder: FolderNode) {}
  func take() -> Pending { Pending() }
  #endif
}
