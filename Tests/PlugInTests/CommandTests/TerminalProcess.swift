import Foundation

/// The command on a terminal of its own, so that it asks. Or another program, such as a shell.
final class TerminalProcess {
  private let process = Process()
  private let terminal: FileHandle
  private(set) var text = ""

  init(_ arguments: [String], of program: String = Command.path, environment: [String: String] = [:]) throws {
    let file = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    guard file >= 0, let name = Self.unlock(file), case let other = open(name, O_RDWR | O_NOCTTY), other >= 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    terminal = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    let end = FileHandle(fileDescriptor: other, closeOnDealloc: true)
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["PAGER": "cat"]) { $1 }.merging(environment) {
      $1
    }
    (process.standardInput, process.standardOutput, process.standardError) = (end, end, end)
    try process.run()
    try end.close()
  }

  /// The path of the other end of a new terminal. Glibc's module lacks `ptsname`.
  private static func unlock(_ file: Int32) -> String? {
    #if canImport(Darwin)
    return grantpt(file) == 0 && unlockpt(file) == 0 ? ptsname(file).map { String(cString: $0) } : nil
    #else
    var (lock, number): (Int32, Int32) = (0, 0)
    guard ioctl(file, 0x4004_5431, &lock) == 0, ioctl(file, 0x8004_5430, &number) == 0 else { return nil }
    return "/dev/pts/\(number)"
    #endif
  }

  /// Reads until the terminal shows a text. False if the command ends first.
  @discardableResult
  func wait(for wanted: String) -> Bool {
    while !text.contains(wanted) {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = read(terminal.fileDescriptor, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return false }
      text += String(decoding: bytes[..<count], as: UTF8.self)
    }
    return true
  }

  /// Forgets the text up to now, so that ``wait(for:)`` waits for a later one.
  func forget() { text = "" }

  func type(_ keys: String) { terminal.write(Data(keys.utf8)) }

  func interrupt() { process.interrupt() }

  /// The exit status. Negative if a signal ended the command.
  func end() -> Int32 {
    wait(for: "\u{0}")
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }
}
