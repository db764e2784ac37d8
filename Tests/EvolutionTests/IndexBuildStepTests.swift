import Foundation
import RepriseCore
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore
@testable import RepriseObjectModel

/// Takes the steps of a build one by one, and saves in between as processes do whose models lack the index.
final class IndexBuildStepTests: XCTestCase {
  private var options: IndexingOptions {
    var options = IndexingOptions()
    (options.rows, options.mostRows, options.objectsRead, options.batchBytes) = (7, 7, 9, 1_500)
    return options
  }

  func testNoSaveBetweenTwoStepsIsMissed() async throws {
    let seed = testSeed()
    for round in 0..<12 {
      var random = SeededGenerator(seed: seed + UInt64(round))
      try await build(isUnique: round % 3 == 2, &random)
    }
  }

  /// A step of a process that was stopped meanwhile takes as long as that.
  func testAStopIsFollowedByNoPauseOfItsLength() {
    XCTAssertEqual(options.pause(after: 3_000_000), 3_000_000)
    XCTAssertLessThanOrEqual(options.pause(after: 600_000_000_000), 1_000_000_000)
  }

  private func build(isUnique: Bool, _ random: inout SeededGenerator) async throws {
    let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var opening = StoreOptions()
    opening.isUnflushed = true
    let store = try Store.openNow(path, for: Schema(BarePart.self), opening)
    let context = RootContext(store)
    for number in 0..<Int.random(in: 0...120, using: &random) { context.insert(part(number)) }
    try await context.save()
    let models = try ResolvedSchema(isUnique ? Schema(UniquePart.self) : Schema(Part.self))
    let targets = try declare(models, in: store)
    XCTAssertEqual(targets.count, isUnique ? 1 : 3)
    for target in targets {
      var build = IndexBuild(target, store.environment, store.tables, logID: store.logID, options)
      while true {
        do throws(StoreError) {
          if try build.step() { break }
        } catch .violations(let violations) {
          XCTAssertFalse(violations.isEmpty)
          XCTAssertGreaterThan(try duplicates(context), 0)
          try await mend(context)
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) { try await change(context, isUnique, &random) }
        // As after a kill.
        if Int.random(in: 0..<12, using: &random) == 0 {
          build = IndexBuild(target, store.environment, store.tables, logID: store.logID, options)
        }
        if Int.random(in: 0..<8, using: &random) == 0 { try await assertSound(store) }
      }
      if isUnique { XCTAssertEqual(try duplicates(context), 0) }
      try await assertSound(store)
    }
    // From here on the program without it keeps it up.
    if !isUnique { for _ in 0..<20 { try await change(context, false, &random) } }
    try await assertSound(store)
    try await store.close()
  }

  /// Adds the properties to the schema, as an opening does, and returns the indexes that are to be built.
  private func declare(_ models: ResolvedSchema, in store: Store) throws -> [UnbuiltIndex] {
    let large = Set(store.map.stored.entities.map(\.number))
    let reconciliation = try SchemaReconciliation(models, store.map.stored, large: large)
    if reconciliation.isEmpty { return reconciliation.unbuiltIndexes }
    try store.environment.write { transaction in
      var appender = try TransactionAppender(
        store.tables, logID: store.logID, map: SchemaMap(models, StoredSchema()), transaction.view)
      try appender.append(reconciliation.schema, transaction)
      try appender.finish(transaction)
    }
    return reconciliation.unbuiltIndexes
  }

  private func part(_ number: Int) -> BarePart {
    BarePart(["number": number, "label": "l\(number % 3)", "note": "w\(number % 11) x y"])
  }

  private func key(_ part: BarePart) -> String { "\(part["number"]) \(part["label"])" }

  private func duplicates(_ context: RootContext) throws -> Int {
    let keys = try context.fetch(Fetch<BarePart>()).map(key)
    return keys.count - Set(keys).count
  }

  private func mend(_ context: RootContext) async throws {
    var seen: Set<String> = []
    for part in try context.fetch(Fetch<BarePart>()) where !seen.insert(key(part)).inserted { context.delete(part) }
    try await context.save()
  }

  private func change(_ context: RootContext, _ isUnique: Bool, _ random: inout SeededGenerator) async throws {
    let parts = try context.fetch(Fetch<BarePart>())
    var deleted: Set<BarePart.ID> = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      // A rule is broken now and then, or else it would never be kept.
      let value = Int.random(in: 0..<(isUnique ? 4_000 : 200), using: &random)
      guard let one = parts.randomElement(using: &random), !deleted.contains(one.id) else {
        context.insert(part(value))
        continue
      }
      switch Int.random(in: 0..<6, using: &random) {
      case 0: context.insert(part(value))
      case 1:
        context.delete(one)
        deleted.insert(one.id)
      case 2: one["note"] = .string(value % 2 == 0 ? "w\(value % 11) z" : "")
      case 3: one["label"] = .string("m\(value % 3)")
      default: one["number"] = .int(Int64(value))
      }
    }
    try await context.save()
  }
}
