import RepriseEventStore
import RepriseLMDB
import RepriseObjectGraph
import RepriseTestSeeds

/// Flips bytes of a small store's file, one at a time, and does what somebody does who asks for the check first.
struct StructureDamage {
  private let path: String
  private var file: String { path + "/data.mdb" }
  private let flips: Int
  private let overlooked: Set<StructureProblem.Kind>
  private var random: SeededGenerator
  private let page = 4096
  private var whollySalvaged = 0

  init(_ arguments: Arguments) {
    path = arguments.path
    flips = arguments.number("flips")
    overlooked = arguments["overlooking"] == "all" ? Set(StructureProblem.Kind.allCases) : []
    random = SeededGenerator(seed: UInt64(arguments.number("seed")))
  }

  mutating func run() async throws {
    try await makeStore(path, stamps: 1...8)
    let reference = try await withStore(path) { try contents(of: $0) }
    let whole = try Disk.read(file)
    var sound = 0
    var found = 0
    for _ in 0..<flips {
      // Half of them where pages say what they are and where their rows begin.
      let start = Int.random(in: 0..<whole.count / page, using: &random) * page
      let offset = start + Int.random(in: 0..<(Bool.random(using: &random) ? 64 : page), using: &random)
      let mask = UInt8.random(in: 1...255, using: &random)
      try Disk.patch([whole[offset] ^ mask], at: offset, of: file)
      let place = "byte \(offset % page) of page \(offset / page), mask \(mask)"
      let problems = try problems()
      if problems.isEmpty {
        sound += 1
        say("use \(place)")
        try await use(place, reference)
      } else {
        found += 1
        if problems.contains(where: \.description.isEmpty) { problem("a finding without a word: \(place)") }
        try await salvage(place, reference)
      }
      try Disk.write(whole, to: file)
    }
    say("structure sound \(sound) found \(found) whole \(whollySalvaged)")
  }

  /// The findings of the check. None if the flipped byte looks like another format: opening such a store throws, too.
  private func problems() throws -> [CheckReport.Problem] {
    do throws(StoreError) {
      return try StoreMaintenance.checkNow(path, overlooking: overlooked).problems
    } catch {
      switch error {
      case .newerFormat, .prereleaseFormat: return []
      default: throw error
      }
    }
  }

  /// A store that was called damaged gives a sound one. What that lacks, the report says.
  private mutating func salvage(_ place: String, _ reference: [String]) async throws {
    let newPath = path + "-salvaged"
    let report = try StoreMaintenance.salvage(path, to: newPath, sliceSize: 1000)
    try await withStore(newPath) { store in
      let verified = try StoreMaintenance.verifyNow(store)
      if !verified.isSound { problem("the salvaged store is not sound: \(place): \(verified)") }
      let found = try contents(of: store)
      if found == reference {
        whollySalvaged += 1
      } else if report.isComplete {
        problem("the salvaged store lacks something, and nobody says so: \(place): \(report)")
      }
    }
    try Disk.removeStore(newPath)
  }

  /// What can be read of a store that was called sound is right, or `verify()` says that it is not; and it can be
  /// written, which LMDB does without a look at what it is told.
  private func use(_ place: String, _ reference: [String]) async throws {
    do {
      try await withStore(path) { store in
        let found = try? contents(of: store)
        if found != reference, try StoreMaintenance.verifyNow(store).isSound {
          problem("reads differently without a word: \(place)")
        }
        let context = RootContext(store, author: "ada", name: "maker", isolation: nil)
        context.insert(Entry(stamp: 99, previous: 98))
        try await context.save("After damage")
      }
    } catch let error as StoreError {
      if error.description.isEmpty { problem("an error without a word: \(place)") }
    } catch let error as SaveError {
      if error.description.isEmpty { problem("a refused save without a word: \(place)") }
    }
  }
}
