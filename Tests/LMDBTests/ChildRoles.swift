import Foundation
import RepriseLMDB
import RepriseTestProcesses
import XCTest

/// What a child process does. In the parent there is nothing to do.
final class ChildRoles: XCTestCase {
  func testPlaysItsRole() throws {
    guard let role = ChildProcess.role else { throw XCTSkip("runs as a child of other tests") }
    signal(SIGXFSZ, SIG_IGN)
    do {
      switch role {
      case "hold readers": try holdReaders()
      case "die in a write": try dieInAWrite()
      case "write": try write()
      case "work in a write": try workInAWrite()
      case "stop before the tables": try stopBeforeTheTables()
      case "fill the map": try fillTheMap()
      case "tell the readers": try tellTheReaders()
      case "open as nobody": try openAsNobody(readOnly: false)
      case "open read-only as nobody": try openAsNobody(readOnly: true)
      case "open": try open()
      case "open read-only": try open { $0.readOnly = true }
      case "reach the file size limit": try reachTheFileSizeLimit()
      case "fill the disk": try fillTheDisk()
      case "fail in the last write": try failInTheLastWrite()
      case "count and read the lock file": try countAndReadTheLockFile()
      case "die while making the lock file": try dieWhileMakingTheLockFile()
      default: ChildProcess.say("unknown role \(role)")
      }
    } catch let error as StorageError {
      ChildProcess.say("error \(error.name)")
    }
  }

  private func environment(_ change: (inout Environment.Options) -> Void = { _ in }) throws(StorageError) -> Environment
  {
    var options = Environment.Options(tables: ["t"])
    options.isUnflushed = true
    change(&options)
    return try Environment.open(directory: ChildProcess.directory, options)
  }

  private func holdReaders() throws {
    let environment = try environment()
    let first = try environment.beginRead()
    let second = try environment.beginRead()
    ChildProcess.say("holding \(first.id) \(second.id)")
    ChildProcess.waitForParent()
  }

  private func dieInAWrite() throws {
    let environment = try environment()
    try environment.write { transaction throws(StorageError) in
      try transaction.put(environment["t"], "a", "of the dead")
      ChildProcess.say("writing")
      ChildProcess.waitForParent()
    }
  }

  /// Computes something for two seconds, with the lock for writing.
  private func workInAWrite() throws {
    let environment = try environment()
    try environment.write { transaction throws(StorageError) in
      ChildProcess.say("writing")
      let end = Date(timeIntervalSinceNow: 2)
      while Date() < end {}
      try transaction.put(environment["t"], "a", "of the child")
    }
    ChildProcess.say("written")
  }

  /// Has the lock for writing, and of the tables none.
  private func stopBeforeTheTables() throws {
    var options = Environment.Options(tables: [])
    options.isUnflushed = true
    let environment = try Environment.open(directory: ChildProcess.directory, options)
    try environment.write { (_) throws(StorageError) in
      ChildProcess.say("writing")
      ChildProcess.waitForParent()
    }
  }

  private func write() throws {
    let environment = try environment()
    try environment.put(environment["t"], "of the child", "1")
    ChildProcess.say("written")
  }

  private func countAndReadTheLockFile() throws {
    let environment = try environment()
    _ = try Data(contentsOf: URL(fileURLWithPath: ChildProcess.directory + "/lock.mdb"))
    ChildProcess.say("counting")
    for _ in 0..<2_000 { try environment.count() }
    ChildProcess.say("counted")
    ChildProcess.waitForParent()
  }

  /// Stands still where LMDB has set the number of the last commit to 0, and not yet to that of the data file.
  private func dieWhileMakingTheLockFile() throws {
    let lockFile = openFile(ChildProcess.directory + "/lock.mdb", O_RDWR)
    var lock = flock()
    (lock.l_type, lock.l_whence, lock.l_len) = (Int16(F_WRLCK), Int16(SEEK_SET), 1)
    guard fcntl(lockFile, F_SETLK, &lock) == 0 else { return ChildProcess.say("not locked") }
    let number = try XCTUnwrap(UInt64(String(contentsOfFile: ChildProcess.directory + "/commit", encoding: .utf8)))
    var words = [UInt64](repeating: 0, count: 16)
    let size = words.count * 8
    XCTAssertEqual(pread(lockFile, &words, size, 0), size)
    words[try XCTUnwrap(words.firstIndex(of: number))] = 0
    XCTAssertEqual(pwrite(lockFile, words, size, 0), size)
    ChildProcess.say("made")
    usleep(200_000)
    _exit(0)
  }

  private func fillTheMap() throws {
    let environment = try environment { $0.mapSize = 1 << 20 }
    try environment.write { transaction throws(StorageError) in
      for number in 0..<1000 {
        try transaction.put(environment["t"], "of the child \(number)", String(repeating: "x", count: 3000))
      }
    }
    ChildProcess.say("map \(try environment.statistics().mapSize)")
  }

  private func tellTheReaders() throws {
    let readers = try environment().readers()
    ChildProcess.say(readers.map { String($0.process) }.joined(separator: " "))
  }

  private func open(_ change: (inout Environment.Options) -> Void = { _ in }) throws {
    let environment = try environment(change)
    ChildProcess.say("read \(try environment.string(environment["t"], "a") ?? "nothing")")
  }

  private func openAsNobody(readOnly: Bool) throws {
    guard setgid(65534) == 0, setuid(65534) == 0 else {
      ChildProcess.say("cannot change the user")
      return
    }
    try open { $0.readOnly = readOnly }
  }

  private func reachTheFileSizeLimit() throws {
    let environment = try environment()
    let table = environment["t"]
    var before = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    getrlimit(resource, &before)
    var limited = before
    limited.rlim_cur = 200_000
    setrlimit(resource, &limited)
    do throws(StorageError) {
      try environment.put(table, "large", String(repeating: "x", count: 1_000_000))
      ChildProcess.say("no error")
    } catch {
      ChildProcess.say("error \(error.name)")
    }
    ChildProcess.say("read \(try environment.string(table, "a") ?? "nothing")")
    setrlimit(resource, &before)
    try environment.put(table, "after", "1")
    ChildProcess.say("read \(try environment.string(table, "after") ?? "nothing")")
  }

  /// Every write to the data file goes to a device that is always full.
  private func fillTheDisk() throws {
    let environment = try environment()
    let table = environment["t"]
    let full = openFile("/dev/full", O_RDWR)
    for descriptor in descriptors(of: ChildProcess.directory + "/data.mdb") { dup2(full, descriptor) }
    do throws(StorageError) {
      try environment.put(table, "lost", "1")
      ChildProcess.say("no error")
    } catch {
      ChildProcess.say("error \(error.name)")
    }
    ChildProcess.say("read \(try environment.string(table, "a") ?? "nothing")")
  }

  /// Data pages can be written, the page that makes a commit valid can not.
  private func failInTheLastWrite() throws {
    let path = ChildProcess.directory + "/data.mdb"
    let environment = try environment { $0.isUnflushed = false }
    let table = environment["t"]
    // LMDB opens the file for data first, then once more for that page.
    let readOnly = openFile(path, O_RDONLY)
    for descriptor in descriptors(of: path).dropFirst() where descriptor != readOnly { dup2(readOnly, descriptor) }
    for _ in 0..<2 {
      do throws(StorageError) {
        try environment.put(table, "a", "2")
        ChildProcess.say("no error")
      } catch {
        ChildProcess.say("error \(error.name)")
      }
    }
    do throws(StorageError) {
      _ = try environment.string(table, "a")
      ChildProcess.say("no error")
    } catch {
      ChildProcess.say("error \(error.name)")
    }
    environment.close()
    try open()
  }

  private func descriptors(of path: String) -> [Int32] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return all.compactMap(Int32.init).sorted().filter { descriptor in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == path
    }
  }
}

extension ChildProcess {
  /// A child that plays a role of ``ChildRoles``.
  convenience init(_ role: String, in directory: String, through launcher: [String] = []) throws {
    try self.init(
      test: "RepriseLMDBTests.ChildRoles/testPlaysItsRole", role: role, in: directory, through: launcher)
  }
}

extension StorageError {
  /// The name of the case.
  var name: String {
    Mirror(reflecting: self).children.first?.label ?? String(describing: self)
  }
}

/// The C function, which `XCTestCase` subclasses with an `open` of their own hide.
func openFile(_ path: String, _ flags: Int32) -> Int32 {
  open(path, flags)
}
