import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

/// Random chains of migrations and renames, against the same chains opened version by version.
final class MigrationChainTests: XCTestCase {
  private func open(_ path: String, _ version: ChainVersion) async throws -> Store {
    try await Store.open(
      path, for: Schema(version.models()),
      migrations: version.plan.isEmpty ? nil : MigrationPlan(version.plan))
  }

  private struct Contents: Equatable {
    /// All objects by their values, with their parts. Parts have other UUIDs, as these follow from the store's numbers.
    var objects: [String] = []
    /// No step takes a pair away.
    var pairs = 0
  }

  private func contents(_ store: Store, _ version: ChainVersion) throws -> Contents {
    let context = RootContext(store)
    var texts: [UniqueID: (text: String, links: [UniqueID?], pairs: [UniqueID])] = [:]
    func read<Model: Shape>(_ model: Model.Type, _ kind: ChainVersion.Kind) throws {
      for object in try context.fetch(Fetch<Model>()) {
        var text = kind.name + kind.columns.map { " \($0.name)=\(object[$0.name])" }.joined()
        for end in [kind.members, kind.paired] {
          if let end { text += " \(object.memberIDs(end.name).count) \(end.name)" }
        }
        let links = [kind.part, kind.reference].compactMap { $0.map { object.target($0.name) } }
        texts[object.id.uuid] = (text, links, kind.pairs.map { object.memberIDs($0.name) } ?? [])
      }
    }
    for (place, kind) in version.kinds.enumerated() { try read(ChainVersion.shapes[place], kind) }
    func text(_ id: UniqueID?, depth: Int = 4) -> String {
      guard let id, let found = texts[id], depth > 0 else { return "none" }
      let links = found.links.map { text($0, depth: depth - 1) }
      let pairs = found.pairs.map { text($0, depth: depth - 1) }.sorted()
      return "(\(found.text) \(links.joined(separator: " ")) \(pairs.joined(separator: " ")))"
    }
    return Contents(
      objects: texts.keys.map { text($0) }.sorted(), pairs: texts.values.reduce(0) { $0 + $1.pairs.count })
  }

  /// Five objects of each kind. Some have no value in an optional column.
  private func fill(_ store: Store, _ version: ChainVersion) async throws {
    let context = RootContext(store)
    func values(_ kind: ChainVersion.Kind, _ number: Int) -> [String: Int] {
      let columns = kind.columns.enumerated().filter { !$1.isOptional || number % 3 > 0 }
      return Dictionary(uniqueKeysWithValues: columns.map { ($1.name, 10 * number + $0) })
    }
    let kinds = version.kinds
    for number in 0..<5 {
      let one = context.insert(ShapeA(values(kinds[0], number)))
      let two = context.insert(ShapeB(values(kinds[1], number)))
      let three = context.insert(ShapeC(values(kinds[2], number)))
      if number == 0 { continue }
      if let reference = kinds[0].reference { one.point(reference.name, to: two) }
      if let pairs = kinds[1].pairs { two.add(three, to: pairs.name) }
      if let pairs = kinds[2].pairs { three.add(two, to: pairs.name) }
    }
    try await context.save()
  }

  func testARandomChainOfMigrationsComesToTheSameOpenedAtOnce() async throws {
    for seed in testSeeds(16) {
      var random = SeededGenerator(seed: seed)
      var version = ChainVersion(&random)
      let step = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
      let leap = step + "-leap"
      defer { for path in [step, leap] { try? FileManager.default.removeItem(atPath: path) } }
      var store = try await open(step, version)
      try await fill(store, version)
      try await store.close()
      try FileManager.default.copyItem(atPath: step, toPath: leap)
      let pairs = version.kinds.contains { $0.pairs != nil } ? 4 : 0
      let last = Int.random(in: 3...7, using: &random)
      for number in 1...last {
        version.change(&random)
        do {
          store = try await open(step, version)
          let expected = try contents(store, version)
          XCTAssertEqual(expected.pairs, pairs, "seed \(seed), version \(number)")
          if number == last { try await assertSound(store) }
          try await store.close()
          if number < last, Int.random(in: 0..<4, using: &random) > 0 { continue }
          let leaping = try await open(leap, version)
          XCTAssertEqual(try contents(leaping, version), expected, "seed \(seed), version \(number)")
          try await assertSound(leaping)
          try await leaping.close()
        } catch {
          XCTFail("seed \(seed), version \(number): \(error)")
          break
        }
      }
    }
  }
}
