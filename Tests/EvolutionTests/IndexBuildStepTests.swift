import Foundation
import RepriseCore
import RepriseLMDB
import RepriseLog
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

@testable import RepriseEventStore

/// Takes the steps of a build one by one, and saves in between as processes do whose models lack the index.
final class IndexBuildStepTests: XCTestCase {
  private var options: IndexingOptions {
    var options = IndexingOptions()
    (options.rows, options.mostRows, options.objectsRead, options.batchBytes) = (7, 7, 9, 1_500)
    return options
  }

  /// What is built, and the columns of its rule.
  private enum Target: CaseIterable {
    case indexes
    case rule
    case ruleWithNils
    /// An index that has the weaker rule already.
    case stricterRule

    var schemas: [Schema] {
      switch self {
      case .indexes: [Schema(Part.self)]
      case .rule: [Schema(UniquePart.self)]
      case .ruleWithNils: [Schema(StrictPart.self)]
      case .stricterRule: [Schema(NotedPart.self), Schema(StrictPart.self)]
      }
    }

    var isUnique: Bool { self != .indexes }
    var mayHaveEqualNils: Bool { self == .ruleWithNils || self == .stricterRule }

    /// `nil` if a part with these values may be there any number of times.
    func key(_ part: BarePart, nilsAreEqual: Bool) -> String? {
      switch self {
      case .indexes: nil
      case .rule: "\(part["number"]) \(part["label"])"
      case .ruleWithNils, .stricterRule:
        part["note"].isNull && !nilsAreEqual ? nil : "\(part["number"]) \(part["note"])"
      }
    }
  }

  /// A step of a process that was stopped meanwhile takes as long as that.
  func testAStopIsFollowedByNoPauseOfItsLength() {
    XCTAssertEqual(options.pause(after: 3_000_000), 3_000_000)
    XCTAssertLessThanOrEqual(options.pause(after: 600_000_000_000), 1_000_000_000)
  }

  func testVerificationNamesAnIndexThatIsBeingBuilt() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = try Store.openNow(path, for: Schema(BarePart.self), StoreOptions())
    let context = RootContext(store)
    for number in 0..<60 { context.insert(part(number)) }
    try await context.save()
    let index = try XCTUnwrap(try declare(ResolvedSchema(Target.indexes.schemas[0]), in: store).first)
    let build = SlicedIndexBuild(index, store.environment, store.tables, logID: store.logID, options)
    var row: [UInt8]?
    while row == nil {
      XCTAssertFalse(try build.step())
      row = try firstRow(in: store)
    }
    let key = try XCTUnwrap(row)
    try store.environment.write { (transaction) throws(StorageError) in
      _ = try transaction.delete(store.tables.indexes, key: key.span.bytes)
    }
    let name = try store.environment.read { (transaction) throws(StorageError) in
      let entity = try MetaTable(store.tables.meta).schema(transaction.view).entity(named: "Part")
      return entity?.property(number: index.property)?.name
    }
    let object = key.suffix(16).reduce(into: (high: UInt64(0), low: UInt64(0))) { words, byte in
      words = (words.high << 8 | words.low >> 56, words.low << 8 | UInt64(byte))
    }
    let problems = try StoreMaintenance.verifyNow(store).problems
    XCTAssertTrue(
      problems.contains(
        """
        The index over Part.\(try XCTUnwrap(name)) (being built) lacks a row for \
        \(UniqueID(high: object.high, low: object.low)).
        """), "\(problems)")
    try await store.close()
  }

  /// The first row of the index that is being built.
  private func firstRow(in store: Store) throws -> [UInt8]? {
    try store.environment.read { (transaction) throws(StorageError) in
      guard let state = try MetaTable(store.tables.meta).indexBuilds(transaction.view).values.first else { return nil }
      let prefix = CountedIndex(number: state.index, table: store.tables.indexes).key(0, [])
      var cursor = try transaction.view.cursor(store.tables.indexes)
      guard let entry = try cursor.seek(prefix.span.bytes) else { return nil }
      let key = entry.key.withUnsafeBytes { [UInt8]($0) }
      return key.starts(with: prefix) ? key : nil
    }
  }

  func testNoSaveBetweenTwoStepsIsMissed() async throws {
    let seed = testSeed()
    for round in 0..<16 {
      var random = SeededGenerator(seed: seed + UInt64(round))
      try await build(Target.allCases[round % 4], &random)
    }
  }

  private func build(_ target: Target, _ random: inout SeededGenerator) async throws {
    let isUnique = target.isUnique
    let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var opening = StoreOptions()
    opening.isUnflushed = true
    let store = try Store.openNow(path, for: Schema(BarePart.self), opening)
    let context = RootContext(store)
    for number in 0..<Int.random(in: 0...120, using: &random) { context.insert(part(number)) }
    try await context.save()
    for (stage, schema) in target.schemas.enumerated() {
      let targets = try declare(ResolvedSchema(schema), in: store)
      XCTAssertEqual(targets.count, isUnique ? 1 : 3)
      let isLast = stage == target.schemas.count - 1
      for index in targets { try await build(index, target, nilsAreEqual: isLast, store, context, &random) }
    }
    // From here on the program without it keeps it up.
    if !isUnique { for _ in 0..<20 { try await change(context, false, &random) } }
    try await assertSound(store)
    try await store.close()
  }

  private func build(
    _ index: UnbuiltIndex, _ target: Target, nilsAreEqual: Bool, _ store: Store, _ context: RootContext,
    _ random: inout SeededGenerator
  ) async throws {
    func duplicates() throws -> Int {
      let keys = try context.fetch(Fetch<BarePart>()).compactMap { target.key($0, nilsAreEqual: nilsAreEqual) }
      return keys.count - Set(keys).count
    }
    var build = SlicedIndexBuild(index, store.environment, store.tables, logID: store.logID, options)
    var refusals = 0
    while true {
      if target.mayHaveEqualNils, nilsAreEqual, refusals == 0, try duplicates() == 0 {
        for _ in 0..<2 { context.insert(BarePart(["number": 1, "label": "nils"])) }
        try await context.save()
      }
      do throws(StoreError) {
        if try build.step() { break }
      } catch .violations(let violations) {
        refusals += 1
        XCTAssertFalse(violations.isEmpty)
        XCTAssertGreaterThan(try duplicates(), 0)
        var seen: Set<String> = []
        for part in try context.fetch(Fetch<BarePart>()) {
          guard let key = target.key(part, nilsAreEqual: nilsAreEqual) else { continue }
          if !seen.insert(key).inserted { context.delete(part) }
        }
        try await context.save()
      }
      for _ in 0..<Int.random(in: 0...2, using: &random) { try await change(context, target.isUnique, &random) }
      // As after a kill.
      if Int.random(in: 0..<12, using: &random) == 0 {
        build = SlicedIndexBuild(index, store.environment, store.tables, logID: store.logID, options)
      }
      if Int.random(in: 0..<8, using: &random) == 0 { try await assertSound(store) }
    }
    if target.isUnique { XCTAssertEqual(try duplicates(), 0) }
    if target.mayHaveEqualNils, nilsAreEqual { XCTAssertGreaterThan(refusals, 0) }
    try await assertSound(store)
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
    BarePart([
      "number": number, "label": "l\(number % 3)", "note": number % 4 == 0 ? nil : "w\(number % 11) x y",
    ])
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
      case 2: one["note"] = value % 3 == 0 ? .null : .string(value % 2 == 0 ? "w\(value % 11) z" : "")
      case 3: one["label"] = .string("m\(value % 3)")
      default: one["number"] = .int(Int64(value))
      }
    }
    do {
      try await context.save()
    } catch SaveError.refused where isUnique {
      // The weaker rule is there before the stricter one.
      context.discard()
    }
  }
}
