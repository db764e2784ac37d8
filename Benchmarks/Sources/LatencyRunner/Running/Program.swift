#if canImport(Glibc)
@preconcurrency import Glibc
#else
import Darwin
#endif

/// A program to be run to its end, with what it says collected.
struct Program {
  let path: String
  let arguments: [String]

  struct Run {
    /// Read just before the process was made.
    let began: Int
    let output: String
    let complaint: String
    let status: Int32
    /// Pages that the process touched first, without a read from the disk.
    let minorFaults: Int
  }

  /// A program that has not ended after so many seconds is killed.
  func run(deadline seconds: Int = 120) throws -> Run {
    let output = try Pipe()
    let complaint = try Pipe()
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, complaint.writing, STDERR_FILENO)
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let began = Clock.now()
    let code = posix_spawnp(&identifier, path, &actions, nil, words, environ)
    output.closeWriting()
    complaint.closeWriting()
    guard code == 0 else { throw BenchmarkError.system("starting \(path)", code) }

    let inTime = Pipe.readAll([output, complaint], until: began + seconds * 1_000_000_000)
    if !inTime { kill(identifier, SIGKILL) }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(identifier, &status, 0, &usage) < 0 && errno == EINTR {}
    guard inTime else { throw BenchmarkError.failed("not done after \(seconds) s") }
    let signal = status & 0x7F
    if signal != 0 { throw BenchmarkError.failed("killed by signal \(signal) \(complaint.text.firstLine)") }
    return Run(
      began: began, output: output.text, complaint: complaint.text, status: (status >> 8) & 0xFF,
      minorFaults: Int(usage.ru_minflt))
  }
}

extension String {
  var firstLine: String { split(separator: "\n").first.map(String.init) ?? "" }
}

/// A pipe whose reading end stays here.
private final class Pipe {
  private let reading: Int32
  private(set) var writing: Int32
  private var bytes: [UInt8] = []
  private var isOpen = true

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw BenchmarkError.system("making a pipe", errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    closeWriting()
  }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func closeWriting() {
    if writing >= 0 { close(writing) }
    writing = -1
  }

  /// False when they were still open at that time.
  static func readAll(_ pipes: [Pipe], until deadline: Int) -> Bool {
    while pipes.contains(where: \.isOpen) {
      let left = deadline - Clock.now()
      if left <= 0 { return false }
      var waited = pipes.filter(\.isOpen).map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
      if poll(&waited, nfds_t(waited.count), Int32(left / 1_000_000) + 1) > 0 {
        for entry in waited where entry.revents != 0 { pipes.first { $0.reading == entry.fd }?.readSome() }
      }
    }
    return true
  }

  private func readSome() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(reading, &buffer, buffer.count)
    if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { isOpen = false }
  }
}
