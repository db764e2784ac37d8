import CRepriseFaults
import RepriseEventStore
import RepriseLMDB
import RepriseTestSeeds

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A program that is recorded while nothing fails, and that finds its store wherever the power is cut.
protocol CutProgram: FaultProgram {
  /// What the program had promised before the power cut, in order. ``look(_:_:)`` follows. At the end it promises
  /// "done".
  mutating func expect(_ promises: [String])
}

extension CutProgram {
  mutating func expect(_ promises: [String]) {}

  /// From now on this is sure.
  func promise(_ text: String) { reprise_faults_mark(text) }
}

/// Records a program, and looks at what the power leaves when it is cut at any moment, also while the store is opened
/// again afterwards, and a third time.
struct CutRun {
  private static func program(_ name: String) -> (any CutProgram.Type)? {
    switch name {
    case "blob": BlobProgram.self
    case "extend": ExtendProgram.self
    case "grow": GrowProgram.self
    case "index": IndexProgram.self
    case "journal": JournalProgram.self
    case "kinds": KindsProgram.self
    case "merge": MergeProgram.self
    case "new": NewProgram.self
    case "rebuild": RebuildProgram.self
    case "refuse": RefuseProgram.self
    case "retain": RetainProgram.self
    case "takeover": TakeoverProgram.self
    default: nil
    }
  }

  private let path: String
  private let type: any CutProgram.Type
  private let plant: PlantedBug?
  private let run: FaultRun
  private var random: SeededGenerator
  private var counts = (images: 0, again: 0)

  static func run(_ arguments: Arguments) async throws {
    guard let type = program(arguments["program"]), let fault = Fault("full", ballast: "") else {
      return problem("no program '\(arguments["program"])'")
    }
    let random = SeededGenerator(seed: UInt64(arguments.number("seed")))
    var run = CutRun(
      path: arguments.path, type: type, plant: PlantedBug(rawValue: arguments["plant"]), run: FaultRun(fault),
      random: random)
    try await run.run(images: arguments.number("images"))
    say("images \(run.counts.images) again \(run.counts.again)")
  }

  private mutating func run(images: Int) async throws {
    let template = path + "-template"
    try await type.init().prepare(template)
    let files = try EveryFault.filesOfStore(template)
    try? Disk.removeStore(template)
    let recording = try await record(path + "-worked") { folder in
      try EveryFault.put(files, folder + "/store")
    } doing: { [type, run] folder in
      var program = type.init()
      run.begin(at: nil)
      await program.work(folder + "/store", run)
      if run.hasFailed { run.problem("it failed") }
      reprise_faults_mark("done")
    }
    let first = recording.firstPromise
    let promises = recording.changes.indices.filter { $0 > first && recording.changes[$0].is(REPRISE_MARK) }
    for image in 0..<images {
      // What is promised is most in danger at once.
      let moment =
        Bool.random(using: &random)
        ? (promises.randomElement(using: &random) ?? first) + Int.random(in: 1...3, using: &random)
        : Int.random(in: first + 1...recording.changes.count, using: &random)
      try await cut(recording, before: min(moment, recording.changes.count), "image \(image)")
    }
  }

  /// Records what happens in a folder whose content is on the disk.
  private func record(
    _ folder: String, having fill: (String) throws -> Void, doing body: (String) async throws -> Void
  ) async throws -> Recording {
    let file = folder + "-recording"
    try PowerCuts.makeFolder(folder)
    reprise_faults_watch(folder)
    reprise_faults_record(file)
    try fill(folder)
    try Self.flush(folder)
    reprise_faults_mark("begun")
    try await body(folder)
    reprise_faults_record("/dev/null")
    var recording = try Recording(file)
    try Disk.remove(file)
    try Disk.removeStore(folder + "/store")
    try Disk.removeStore(folder)
    plant?.apply(to: &recording)
    return recording
  }

  /// Flushes a folder with all that is in it.
  private static func flush(_ folder: String) throws {
    for name in Disk.names(in: folder) {
      var status = stat()
      let path = folder + "/" + name
      guard stat(path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR { try flush(path) } else { try flushFile(path, O_RDWR) }
    }
    try flushFile(folder, O_RDONLY)
  }

  private static func flushFile(_ path: String, _ flags: Int32) throws {
    let descriptor = open(path, flags)
    guard descriptor >= 0 else { throw Disk.Failure(operation: "open", path: path, code: errno) }
    defer { close(descriptor) }
    if fsync(descriptor) != 0 { throw Disk.Failure(operation: "flush", path: path, code: errno) }
  }

  // MARK: Images

  /// Cuts the power, maybe again while the store is opened, and looks.
  private mutating func cut(_ recording: Recording, before moment: Int, _ name: String) async throws {
    let place = "\(path)-image"
    let promises = recording.promises(before: moment)
    let what = "\(name) cut \(moment) of \(recording.changes.count) after \(promises.last ?? "nothing")"
    do {
      var image = PowerCut(recording, before: moment).image(&random)
      var times = 0
      while times < 2, Int.random(in: 0..<3, using: &random) == 0, let next = try await opened(image) {
        image = next
        times += 1
      }
      counts.images += 1
      counts.again += times
      for name in image.files.keys where name.hasSuffix("data.mdb") { plant?.apply(to: &image.files[name]!) }
      try PowerCuts.write(image, to: place)
      run.look(at: times == 0 ? what : "\(what), and \(times) times while it was opened")
      var program = type.init()
      program.expect(promises)
      try await program.look(place + "/store", run)
    } catch {
      run.problem("\(error)")
    }
    try Disk.removeStore(place + "/store")
    try Disk.removeStore(place)
  }

  /// What the power leaves if it is cut while the files of an image are opened. `nil` if there is no file yet.
  private mutating func opened(
    _ image: (files: [String: [UInt8]], folders: Set<String>)
  ) async throws -> (files: [String: [UInt8]], folders: Set<String>)? {
    if image.files["store/data.mdb"]?.isEmpty ?? true { return nil }
    let recording = try await record(path + "-again") { folder in
      for name in image.folders.sorted() where name != "." { try PowerCuts.makeFolder("\(folder)/\(name)") }
      for (name, bytes) in image.files { try Disk.write(bytes, to: "\(folder)/\(name)", mode: 0o600) }
    } doing: { folder in
      var options = Environment.Options(tables: StoreTables.names)
      options.lazyTables = StoreTables.lazyNames
      options.makesAfterImages = true
      options.addsTables = false
      do throws(StorageError) {
        try Environment.open(directory: folder + "/store", options).close()
      } catch {
        // A store that was not open yet may be half made, which the library finds out before it opens the file.
        switch error {
        case .fileTruncated, .notAnLMDBFile, .noSuchFile, .tableMissing: break
        default: throw error
        }
      }
    }
    let moment = Int.random(in: recording.firstPromise + 1...recording.changes.count, using: &random)
    return PowerCut(recording, before: moment).image(&random)
  }
}

extension Recording {
  /// Where the program begins.
  fileprivate var firstPromise: Int { changes.firstIndex { $0.is(REPRISE_MARK) } ?? 0 }

  fileprivate func promises(before moment: Int) -> [String] {
    changes[..<moment].filter { $0.is(REPRISE_MARK) }.map(\.path)
  }
}
