#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The system's facts about threads of any process. Costs a few system calls each time. `nil` if the system has none,
/// for example for threads in another container.
package enum ThreadFacts {
  /// The process that a thread belongs to.
  package static func process(ofThread thread: Int32) -> Int32? {
    #if os(Linux) || os(Android)
    let lines = contents(of: "/proc/\(thread)/status").split(separator: UInt8(ascii: "\n"))
    let key = Array("Tgid:".utf8)
    guard let line = lines.first(where: { $0.starts(with: key) }) else { return nil }
    return number(line.dropFirst(key.count).drop { $0 == UInt8(ascii: "\t") }).flatMap { Int32(exactly: $0) }
    #else
    return nil
    #endif
  }

  /// The processor time that a thread has used so far, in ticks of the system. Without a thread, the time of the whole
  /// process.
  package static func processorTime(ofProcess process: Int32, thread: Int32? = nil) -> UInt64? {
    #if os(Linux) || os(Android)
    let bytes = contents(of: "/proc/\(process)\(thread.map { "/task/\($0)" } ?? "")/stat")
    // The name of the program, in parentheses, may have spaces. The first word after the name is the state. The times
    // in the program and in the system are 11 and 12 words after the state.
    guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let words = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard words.count > 12, let inside = number(words[11]), let system = number(words[12]) else { return nil }
    return inside &+ system
    #else
    return nil
    #endif
  }

  #if os(Linux) || os(Android)
  private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
    UInt64(String(decoding: digits, as: UTF8.self))
  }

  private static func contents(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: 4096) { bytes, count in
      count = max(0, read(descriptor, bytes.baseAddress, bytes.count))
    }
  }
  #endif
}
