import Foundation

/// What a process wrote to the files of a store, and how often it waited for the disk: read from a trace by strace.
///
/// A flush is a call that ends when the disk has the bytes: fsync and its relatives, and each write to a file that was
/// opened with O_DSYNC or O_SYNC.
struct WriteTrace: Equatable {
  private(set) var bytes = 0
  private(set) var flushes = 0

  /// `-y` names the file of each descriptor; `-s 0` leaves out what is written.
  static func options(output: String) -> [String] {
    ["-f", "-y", "-s", "0", "-e", "trace=" + traced.joined(separator: ","), "-o", output]
  }

  private static let openings = ["open", "openat"]
  private static let writes = ["write", "writev", "pwrite64", "pwritev", "pwritev2"]
  private static let syncs = ["fsync", "fdatasync", "syncfs"]
  private static let traced = openings + writes + syncs + ["msync", "close"]

  init() {}

  /// `store` is the real path of the store's folder.
  init(_ text: String, store: String) {
    var unfinished: [Substring: Substring] = [:]
    var synchronous: Set<Int> = []
    for line in text.split(separator: "\n") {
      let process = line.prefix { $0 != " " }
      var call = line.dropFirst(process.count).drop { $0 == " " }
      if let cut = call.range(of: " <unfinished ...>") {
        unfinished[process] = call[..<cut.lowerBound]
        continue
      }
      if call.hasPrefix("<... "), let cut = call.range(of: " resumed>") {
        guard let beginning = unfinished.removeValue(forKey: process) else { continue }
        call = Substring(beginning + call[cut.upperBound...])
      }
      if let call = Call(call) { count(call, store: store, synchronous: &synchronous) }
    }
  }

  private mutating func count(_ call: Call, store: String, synchronous: inout Set<Int>) {
    guard call.result >= 0 else { return }
    if Self.openings.contains(call.name) {
      let isSynchronous = call.text.contains("O_DSYNC") || call.text.contains("O_SYNC")
      if isSynchronous { synchronous.insert(call.result) } else { synchronous.remove(call.result) }
    } else if call.name == "msync" {
      if call.text.contains("MS_SYNC") { flushes += 1 }
    } else if let (descriptor, path) = call.file {
      if call.name == "close" { synchronous.remove(descriptor) }
      guard path.hasPrefix(store) else { return }
      if Self.syncs.contains(call.name) { flushes += 1 }
      if Self.writes.contains(call.name) {
        bytes += call.result
        if synchronous.contains(descriptor) { flushes += 1 }
      }
    }
  }

  static func - (all: WriteTrace, without: WriteTrace) -> WriteTrace {
    var difference = all
    difference.bytes -= without.bytes
    difference.flushes -= without.flushes
    return difference
  }

  /// `name(3</path>, …) = 10`
  private struct Call {
    let name: String
    let text: Substring
    let result: Int

    init?(_ line: Substring) {
      guard let open = line.firstIndex(of: "("), let equals = line.range(of: " = ", options: .backwards) else {
        return nil
      }
      name = String(line[..<open])
      text = line[line.index(after: open)..<equals.lowerBound]
      guard let result = Int(line[equals.upperBound...].prefix { $0 == "-" || $0.isNumber }) else { return nil }
      self.result = result
    }

    /// The descriptor that is the first argument, and its file.
    var file: (descriptor: Int, path: Substring)? {
      guard let bracket = text.firstIndex(of: "<"), let descriptor = Int(text[..<bracket]) else { return nil }
      return (descriptor, text[text.index(after: bracket)...].prefix { $0 != ">" })
    }
  }
}
