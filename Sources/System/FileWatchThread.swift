#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// After a write, the pauses between looks in vain, in nanoseconds.
private let pauses: [UInt64] = [1_000_000, 4_000_000, 16_000_000, 64_000_000]
/// How long the thread ignores writes after one of this process, because many may follow.
private let deafness: UInt64 = 50_000_000
/// The time between two looks at a file whose writes the system does not report, in nanoseconds.
private let fallback: UInt64 = 1_000_000_000

/// The thread behind all ``FileWatch``es of a process.
final class FileWatchThread: Sendable {
  private struct Watch: Sendable {
    let number: Int
    /// The system's handle for the file. `nil` if it does not report writes to it.
    let file: Int32?
    let look: @Sendable () -> FileWatch.Finding
    /// When to look next. The following count is the number of looks without a finding since the last write.
    var due: UInt64?
    var attempts = 0

    mutating func note(_ finding: FileWatch.Finding) {
      var pause: UInt64?
      switch finding {
      case .nothing:
        if attempts < pauses.count { pause = pauses[attempts] }
        attempts += 1
      case .own: (pause, attempts) = (deafness, pauses.count)
      case .found: attempts = pauses.count
      }
      if pause == nil, file == nil { pause = fallback }
      due = pause.map { WakeUp.now() + $0 }
    }
  }

  private static let running = Guarded<FileWatchThread?>(nil)
  /// Numbers of watches. No number is used twice, so a thread that has ended is never asked to remove a later watch.
  private static let numbers = Guarded(0)

  /// The process that has the thread: a forked child has none, and its pipe is its parent's.
  private let process = getpid()
  private let queue: WriteQueue?
  /// The ends of a pipe that wakes the thread.
  private let output: Int32
  private let input: Int32
  private let watches = Guarded<[Watch]>([])

  static var isRunning: Bool { running.withLock { $0 != nil } }

  // MARK: Watches

  /// `nil` if the system cannot create the thread.
  static func add(_ path: String, _ look: @escaping @Sendable () -> FileWatch.Finding) -> Int? {
    running.withLock { running in
      let known = running.flatMap { $0.process == getpid() ? $0 : nil }
      guard let watcher = known ?? FileWatchThread() else { return nil }
      running = watcher
      let number = numbers.withLock { numbers in
        numbers += 1
        return numbers
      }
      let watch = Watch(number: number, file: watcher.queue?.add(path), look: look, due: WakeUp.now())
      watcher.watches.withLock { $0.append(watch) }
      watcher.wake(ending: false)
      return number
    }
  }

  static func remove(_ number: Int) {
    running.withLock { running in
      guard let watcher = running, watcher.process == getpid() else { return }
      let (file, isLast) = watcher.watches.withLock { watches -> (Int32?, Bool) in
        guard let index = watches.firstIndex(where: { $0.number == number }) else { return (nil, watches.isEmpty) }
        let file = watches.remove(at: index).file
        // All watches of a file share one handle of the system.
        return (watches.contains { $0.file == file } ? nil : file, watches.isEmpty)
      }
      if let file { watcher.queue?.remove(file) }
      if isLast {
        running = nil
        watcher.wake(ending: true)
      }
    }
  }

  private init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (output, input) = (ends[0], ends[1])
    queue = WriteQueue()
    guard SystemThread.start({ self.run() }) else {
      queue?.close()
      for end in ends { close(end) }
      return nil
    }
  }

  /// A forked child has this end of the pipe, too, so closing the pipe would not wake the thread.
  private func wake(ending: Bool) {
    var byte: UInt8 = ending ? 1 : 0
    _ = write(input, &byte, 1)
  }

  // MARK: The thread

  private func run() {
    var deafUntil: UInt64 = 0
    while true {
      let now = WakeUp.now()
      var descriptors = [pollfd(fd: output, events: Int16(POLLIN), revents: 0)]
      let hears = deafUntil <= now
      if hears, let queue { descriptors.append(pollfd(fd: queue.descriptor, events: Int16(POLLIN), revents: 0)) }
      let due = [watches.withLock { $0.compactMap(\.due).min() }, hears ? nil : deafUntil].compactMap(\.self).min()
      let count = poll(&descriptors, .init(descriptors.count), due.map { Self.milliseconds(until: $0, now) } ?? -1)
      if count < 0, errno != EINTR { break }
      if count > 0, descriptors[0].revents != 0, isEnding() { break }
      if count > 0, descriptors.last?.fd != output, descriptors.last?.revents != 0 { hear() }
      if look() { deafUntil = WakeUp.now() + deafness }
    }
    queue?.close()
    close(output)
    close(input)
  }

  private static func milliseconds(until due: UInt64, _ now: UInt64) -> Int32 {
    due <= now ? 0 : Int32(clamping: (due - now + 999_999) / 1_000_000)
  }

  private func isEnding() -> Bool {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    let count = read(output, &bytes, bytes.count)
    return count <= 0 ? errno != EINTR : bytes[..<count].contains(1)
  }

  /// Reads from the system which files were written.
  private func hear() {
    let now = WakeUp.now()
    queue?.drain { file in
      watches.withLock { watches in
        for index in watches.indices where file == nil || watches[index].file == file {
          (watches[index].due, watches[index].attempts) = (now, 0)
        }
      }
    }
  }

  /// Calls `look` of the watches that are due. Returns whether this process wrote itself.
  private func look() -> Bool {
    let now = WakeUp.now()
    var isOwn = false
    // Without the lock, because `look` may take long, and may release its own watch.
    for watch in watches.withLock({ $0.filter { $0.due.map { $0 <= now } ?? false } }) {
      let finding = watch.look()
      if finding == .own { isOwn = true }
      watches.withLock { watches in
        guard let index = watches.firstIndex(where: { $0.number == watch.number }) else { return }
        watches[index].note(finding)
      }
    }
    return isOwn
  }
}
