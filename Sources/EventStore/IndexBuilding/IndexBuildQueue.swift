import RepriseJournal
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseSystem

/// Builds indexes, one after the other. Of all processes only one builds at a time: the one that has the claim.
final class IndexBuildQueue {
  private let environment: Environment
  private let tables: StoreTables
  private let path: String
  private let claim: WorkClaim
  private var hasClaim = false
  private var targets: [UnbuiltIndex]
  private var build: SlicedIndexBuild?
  private let logID: UniqueID
  private let options: IndexingOptions
  private let isCancelled: () -> Bool
  /// The wait before the next step, in nanoseconds. It equals the time that other writers waited for the last step, so
  /// that they have at least half of the time.
  private(set) var pause: UInt64 = 0

  /// The interval between readings of another process's build, in milliseconds.
  private static let wait = 50

  init(
    _ targets: [UnbuiltIndex], _ path: String, _ environment: Environment, _ tables: StoreTables, logID: UniqueID,
    _ options: IndexingOptions, unless isCancelled: @escaping () -> Bool = { false }
  ) {
    self.targets = targets
    self.isCancelled = isCancelled
    self.path = path
    self.environment = environment
    self.tables = tables
    self.logID = logID
    self.options = options
    claim = WorkClaim(.indexes, path: path + "/data.mdb")
  }

  /// Takes the next step. True if all indexes are ready.
  func step() throws(StoreError) -> Bool {
    options.onStep?()
    pause = 0
    guard try takeClaim() else {
      let schema = try StoreError.converting { () throws(StorageError) in
        try environment.read { (transaction) throws(StorageError) in
          try MetaTable(tables.meta).schema(transaction.view)
        }
      }
      targets.removeAll { $0.isReady(in: schema) }
      pause = UInt64(Self.wait) * 1_000_000
      return targets.isEmpty
    }
    guard let target = targets.first else {
      claim.close()
      return true
    }
    let build = self.build ?? SlicedIndexBuild(target, environment, tables, logID: logID, options, unless: isCancelled)
    self.build = build
    defer { pause = options.pause(after: build.held) }
    if try build.step() {
      targets.removeFirst()
      self.build = nil
    }
    return false
  }

  /// The remaining indexes, and the progress of the first.
  var left: (targets: [UnbuiltIndex], progress: Double) { (targets, build?.progress ?? 0) }

  /// Takes all steps, and waits between them.
  ///
  /// - Parameter limit: How long to wait for another process that builds and shows no sign of life, in milliseconds.
  func finish(_ run: OpeningRun, waiting limit: Int) throws(StoreError) {
    let clock = WakeUp()
    var claimWait = ClaimWait<[UInt32: IndexBuildState]>(path: path, milliseconds: limit)
    while true {
      try run.checkCancellation(path)
      if try step() { return }
      if !hasClaim {
        let builds = try StoreError.converting { () throws(StorageError) in
          try environment.read { (transaction) throws(StorageError) in
            try MetaTable(tables.meta).indexBuilds(transaction.view)
          }
        }
        try claimWait.look(builds, of: claim.holder, after: Self.wait)
      }
      try tell(run)
      if pause > 0 { clock.wait(until: WakeUp.now() + pause) }
    }
  }

  private func tell(_ run: OpeningRun) throws(StoreError) {
    guard let progress = run.progress, let target = targets.first, let build else { return }
    let found = try build.read { (view) throws(StorageError) in
      try build.described(try build.meta.schema(view)).map { (entity, property) throws(StorageError) in
        (entity.name, property.name, try build.meta.count(of: target.entity, view))
      }
    }
    guard let (entity, property, total) = found else { return }
    progress(
      MigrationProgress(
        .index, entity: entity, property: property, done: Int(build.progress * Double(total)), total: total))
  }

  private func takeClaim() throws(StoreError) -> Bool {
    if hasClaim { return true }
    do throws(SystemFailure) {
      hasClaim = try claim.take()
      return hasClaim
    } catch {
      throw .system(path: path, operation: "claiming the indexes", code: error.errno, message: "\(error)")
    }
  }
}
