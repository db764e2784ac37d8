import Foundation

/// Memory that holds what files contain.
enum PageCache {
  /// Forgets these files and, as far as the machine lets it, all others.
  ///
  /// In a container the kernel's switch can be out of reach, or take effect without the container's file system (a
  /// layer of its own may keep the pages), so the files are also given up one by one. Pages that a running process has
  /// mapped stay in any case: that is why the harness is linked statically, and shares no Swift library with workers.
  static func drop(_ paths: [String]) throws {
    #if os(Linux)
    sync()
    for path in paths.flatMap(files) {
      let file = open(path, O_RDONLY)
      guard file >= 0 else { continue }
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      close(file)
    }
    let control = open("/proc/sys/vm/drop_caches", O_WRONLY)
    guard control >= 0 else { throw BenchmarkError.missing("root") }
    defer { close(control) }
    guard write(control, "3", 1) == 1 else { throw BenchmarkError.missing("root") }
    #else
    throw BenchmarkError.missing("Linux")
    #endif
  }

  /// The dynamic libraries that a program loads.
  static func libraries(of program: String) -> [String] {
    guard let run = try? Program(path: "ldd", arguments: [program]).run(), run.status == 0 else { return [] }
    return run.output.split(separator: "\n").compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("/") }.map(String.init)
    }
  }

  private static func files(_ path: String) -> [String] {
    guard let names = FileManager.default.enumerator(atPath: path)?.allObjects as? [String], !names.isEmpty else {
      return [path]
    }
    return names.map { path + "/" + $0 }
  }
}
