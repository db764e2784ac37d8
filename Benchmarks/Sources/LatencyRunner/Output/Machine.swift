import Foundation

/// What the figures were measured on.
enum Machine {
  /// One line for each trait; `stores` is the folder that they are in.
  static func lines(stores: String) -> [String] {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let memory = ProcessInfo.processInfo.physicalMemory / (1 << 30)
    return [
      "commit \(commit)",
      "\(processors) × \(processor), \(memory) GiB of memory",
      "\(release), \(kernel)",
      "Swift \(swift); \(compiler); SQLite \(sqlite), LMDB \(lmdb)",
      "stores on \(fileSystem(of: stores))",
      Scheduling.note,
    ]
  }

  /// Figures of different commits are not to be mixed.
  private static var commit: String {
    func git(_ arguments: String...) -> String? {
      let run = try? Program(path: "git", arguments: arguments).run()
      return run?.status == 0 ? run?.output.firstLine : nil
    }
    guard let commit = git("rev-parse", "--short", "HEAD") else { return "unknown" }
    return git("status", "--porcelain", "--untracked-files=no") == "" ? commit : commit + ", with changes"
  }

  private static var processor: String {
    let name = value(after: "model name", in: "/proc/cpuinfo", separator: ":") ?? "processor"
    return value(after: "flags", in: "/proc/cpuinfo", separator: ":")?.contains(" hypervisor") == true
      ? name + " (virtual)" : name
  }

  private static var release: String {
    value(after: "PRETTY_NAME", in: "/etc/os-release", separator: "=")?.filter { $0 != "\"" }
      ?? ProcessInfo.processInfo.operatingSystemVersionString
  }

  private static var kernel: String {
    var names = utsname()
    uname(&names)
    func text<Characters>(_ field: Characters) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
  }

  private static var sqlite: String {
    value(after: "#define SQLITE_VERSION ", in: "/usr/include/sqlite3.h", separator: "\"")?.filter { $0 != "\"" }
      ?? "of the system"
  }

  private static var lmdb: String {
    let parts = ["MAJOR", "MINOR", "PATCH"].compactMap { part in
      value(after: "#define MDB_VERSION_\(part)", in: "/usr/include/lmdb.h", separator: "\t")
    }
    return parts.count == 3 ? parts.joined(separator: ".") : "of the system"
  }

  private static func fileSystem(of folder: String) -> String {
    let run = try? Program(path: "findmnt", arguments: ["-n", "-o", "FSTYPE", "-T", folder]).run()
    return run?.status == 0 ? run?.output.firstLine ?? "" : "an unknown file system"
  }

  private static var swift: String {
    let text = (try? Program(path: "swift", arguments: ["--version"]).run())?.output ?? ""
    guard let found = text.range(of: "Swift version ") else { return "of an unknown version" }
    return String(text[found.upperBound...].prefix { $0 != " " && $0 != "\n" })
  }

  private static var compiler: String {
    (try? Program(path: "cc", arguments: ["--version"]).run())?.output.firstLine ?? "clang of the toolchain"
  }

  private static func value(after name: String, in path: String, separator: Character) -> String? {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      guard let cut = line.firstIndex(of: separator) else { continue }
      return line[line.index(after: cut)...].trimmingCharacters(in: .whitespaces)
    }
    return nil
  }
}
