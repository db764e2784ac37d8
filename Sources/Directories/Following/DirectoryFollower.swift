import Dispatch
import RepriseCore

/// Follows a folder on a separate queue, which may wait for the disk, and reports to the source.
///
/// Safe: everything that changes is used on the queue alone.
final class DirectoryFollower: @unchecked Sendable {
  /// The time between attempts to list a folder that cannot be listed.
  private static let retryInterval = DispatchTimeInterval.seconds(1)
  /// The time between a notification and its delivery, so that a copy of many files makes few batches.
  private static let collecting = DispatchTimeInterval.milliseconds(20)

  let channel = CoalescingChannel<DirectoryChanges> { $0.merge($1) }
  let queue = DispatchQueue(label: "reprise.directory", qos: .userInitiated)
  private let path: String
  private let filter: DirectoryFilter
  private let order: DirectoryOrder
  private let rescanInterval: Duration?
  private var tree: FolderTree?
  private var suspects = FolderTree.Suspects()
  private var isScheduled = false
  private var isStopped = false
  private var failure: SourceError?
  /// Whether the source has rows.
  private var hasRows = false
  private var unreadable: [String] = []
  private var timer: (any DispatchSourceTimer)?
  private let notifications: FolderNotifications

  init(_ path: String, _ filter: DirectoryFilter, _ order: DirectoryOrder, rescanInterval: Duration?) {
    self.path = path
    self.filter = filter
    self.order = order
    self.rescanInterval = rescanInterval
    notifications = FolderNotifications(isDispensable: rescanInterval != nil)
  }

  func start() {
    queue.async {
      let notifications = self.notifications
      self.tree = FolderTree(
        Array(self.path.utf8), self.filter,
        watching: { folder, path throws(SystemError) in try notifications.watch(folder, path) },
        unwatching: { notifications.unwatch($0) })
      self.turn()
      if let interval = self.rescanInterval ?? (FolderNotifications.isAvailable ? nil : .seconds(1)) {
        self.rescan(every: interval)
      }
    }
  }

  func stop() {
    channel.finish()
    queue.async {
      self.isStopped = true
      self.timer?.cancel()
      self.tree?.detach()
      self.notifications.end()
    }
  }

  /// Checks all files, or the files with notifications, and reports the changes. `nil` if the files can be listed.
  func look(atAll: Bool) async throws(CancellationError) -> SourceError? {
    // A stream, because waiting for a stream ends when the task is cancelled, and a disk can be slow.
    let (answers, answer) = AsyncStream<SourceError?>.makeStream()
    queue.async {
      self.suspects.isAll = self.suspects.isAll || atAll
      self.takeNotifications()
      self.turn()
      answer.yield(self.failure)
    }
    for await failure in answers { return failure }
    throw CancellationError()
  }

  // MARK: On the queue

  private func rescan(every interval: Duration) {
    let parts = max(.milliseconds(1), min(interval, .seconds(1 << 30))).components
    let nanoseconds = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(
      deadline: .now() + .nanoseconds(Int(nanoseconds)), repeating: .nanoseconds(Int(nanoseconds)))
    timer.setEventHandler { [weak self] in
      self?.suspects.isAll = true
      self?.turn()
    }
    timer.resume()
    self.timer = timer
  }

  /// Collects the system's notifications.
  private func takeNotifications() {
    let pending = notifications.take()
    suspects.names += pending.names
    suspects.isAll = suspects.isAll || pending.isIncomplete
  }

  private func schedule(_ interval: DispatchTimeInterval) {
    if isScheduled || isStopped { return }
    isScheduled = true
    queue.asyncAfter(deadline: .now() + interval) { [weak self] in
      guard let self else { return }
      isScheduled = false
      takeNotifications()
      turn()
    }
  }

  /// Checks the suspected files, and reports the changes to the source.
  private func turn() {
    guard !isStopped, var tree else { return }
    // Cleared, because a second reference to the tree would make each change copy it.
    self.tree = nil
    defer { self.tree = tree }
    if tree.root != nil, !tree.isCurrent { tree.detach() }
    if tree.root == nil {
      notifications.begin(queue) { [weak self] in
        self?.takeNotifications()
        self?.schedule(Self.collecting)
      }
      notifications.watchAncestors(of: path)
    } else if suspects.isEmpty {
      return
    }
    let suspects = suspects
    self.suspects = FolderTree.Suspects()
    do throws(SystemError) {
      report(try tree.update(suspects), tree)
    } catch {
      fail(error.error(at: path))
      schedule(Self.retryInterval)
    }
  }

  private func report(_ rows: FolderTree.Changes, _ tree: FolderTree) {
    var changes = DirectoryChanges()
    changes.unreadable = tree.unreadable.map(\.text).sorted()
    defer { (hasRows, failure, unreadable) = (true, nil, changes.unreadable) }
    if !hasRows || failure != nil { changes.loadState = .loaded }
    if hasRows {
      for row in rows.upserted { changes.upserted[row.id] = row }
      changes.removed = Set(rows.removed)
      let isEmpty = changes.upserted.isEmpty && changes.removed.isEmpty && changes.unreadable == unreadable
      if isEmpty, changes.loadState == nil { return }
    } else {
      changes.rows = SortedRows(rows.upserted, by: order.areInIncreasingOrder)
    }
    channel.send(changes)
  }

  private func fail(_ error: SourceError) {
    guard failure != error else { return }
    failure = error
    var changes = DirectoryChanges()
    changes.loadState = .failed(error)
    channel.send(changes)
  }
}
