import CRepriseFaults
import RepriseEventStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that has a store, and what must be true of it afterwards.
protocol FaultProgram {
  init()

  /// Makes the store that the program finds; nothing, if it makes one itself.
  func prepare(_ path: String) async throws

  /// What the program does while something fails. Whatever it is told, it must be true.
  mutating func work(_ path: String, _ run: FaultRun) async

  /// Without a fault. Throws if the store cannot be used.
  mutating func look(_ path: String, _ run: FaultRun) async throws
}

/// Runs a program once for each place where something can fail, and leaves none out.
enum EveryFault {
  private static func program(_ name: String) -> (any FaultProgram.Type)? {
    switch name {
    case "": WorkProgram.self
    case "new": NewStoreProgram.self
    case "short save": ShortSaveProgram.self
    case "extend": ExtendProgram.self
    case "index": IndexProgram.self
    case "blob": BlobProgram.self
    case "merge": MergeProgram.self
    case "rebuild": RebuildProgram.self
    case "salvage": SalvageProgram.self
    case "erase": EraseProgram.self
    case "retain": RetainProgram.self
    default: nil
    }
  }

  static func run(_ path: String, _ name: String, _ program: String, ballast: String) async throws {
    guard let program = self.program(program) else { return problem("no program '\(program)'") }
    guard let fault = Fault(name, ballast: ballast) else { return problem("no fault '\(name)'") }
    let template = path + " template"
    try await program.init().prepare(template)
    let files = try filesOfStore(template)
    try? Disk.removeStore(template)
    mkdir(path, 0o700)
    reprise_faults_watch(path)

    let run = FaultRun(fault)
    func play(_ number: Int?) async throws -> Int? {
      for name in Disk.names(in: path) { try Disk.removeStore("\(path)/\(name)") }
      try put(files, path + "/store")
      var program = program.init()
      run.begin(at: number)
      await program.work(path + "/store", run)
      let calls = run.calls
      run.mend()
      do { try await program.look(path + "/store", run) } catch { run.problem("afterwards: \(error)") }
      return calls
    }
    var places = 0
    // A journal has a thread, which writes between the other calls when it gets to it: the same number would be another
    // call in each run, and some calls would be left out. The calls on other files come in the same order in each run.
    for files in run.calls == nil ? [REPRISE_ALL_FILES] : [REPRISE_OTHER_FILES, REPRISE_JOURNALS] {
      reprise_faults_count(files)
      let calls = try await play(nil)
      if run.hasFailed { run.problem("it failed") }
      var place = 0
      var quiet = 0
      // Where places are not calls, nobody knows which is the last.
      while calls.map({ place < $0 + 1 }) ?? (quiet < 5) {
        place += 1
        _ = try await play(place)
        quiet = run.hasFailed ? 0 : quiet + 1
        if place == 1000 { return problem("it fails everywhere") }
      }
      places += place
    }
    say("places \(places) \(run.summary)")
  }

  static func filesOfStore(_ path: String) throws -> [(name: String, bytes: [UInt8])] {
    let journals = Disk.names(in: path + "/journals").map { "journals/" + $0 }
    let names = Disk.names(in: path).contains("data.mdb") ? journals + ["data.mdb"] : []
    return try names.map { ($0, try Disk.read("\(path)/\($0)")) }
  }

  static func put(_ files: [(name: String, bytes: [UInt8])], _ path: String) throws {
    if files.isEmpty { return }
    mkdir(path, 0o700)
    mkdir(path + "/journals", 0o700)
    for file in files { try Disk.write(file.bytes, to: "\(path)/\(file.name)", mode: 0o600) }
  }
}
