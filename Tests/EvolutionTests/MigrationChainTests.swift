import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestSeeds
import XCTest

/// Random chains of migrations, against the same chains opened version by version.
final class MigrationChainTests: XCTestCase {
  private struct Column {
    var name: String
    var isText = false
  }

  private struct Kind {
    var name: String
    var columns: [Column]
    /// The to-one that leads to its part.
    var part: (name: String, kind: String)?
    /// Of a part: the to-one that leads back.
    var whole: (name: String, kind: String)?
    /// A to-one that leads to objects of another kind, and there the to-many that leads back.
    var reference: (name: String, kind: String)?
    var members: (name: String, kind: String)?

    var isAlone: Bool { part == nil && whole == nil && reference == nil && members == nil }
  }

  private struct Version {
    var kinds: [Kind]
    var plan: [Migration] = []
  }

  private static let shapes: [any Shape.Type] = [ShapeA.self, ShapeB.self, ShapeC.self, ShapeD.self, ShapeE.self]

  // MARK: Programs

  private func models(_ version: Version) -> [any PersistentModel.Type] {
    func toOne(_ name: String, _ kind: String, inverse: String?) -> Property {
      func make<Model: PersistentModel>(_ model: Model.Type) -> Property { .toOne(name, model, inverse: inverse) }
      let place = version.kinds.firstIndex { $0.name == kind } ?? 0
      return make(Self.shapes[place])
    }
    func toMany(_ name: String, _ kind: String) -> Property {
      func make<Model: PersistentModel>(_ model: Model.Type) -> Property { .toMany(name, model) }
      let place = version.kinds.firstIndex { $0.name == kind } ?? 0
      return make(Self.shapes[place])
    }
    return version.kinds.enumerated().map { place, kind in
      var properties = kind.columns.map { column -> Property in
        column.isText ? .attribute(column.name, String.self) : .attribute(column.name, Int.self)
      }
      if let part = kind.part {
        let inverse = version.kinds.first { $0.name == part.kind }?.whole?.name
        properties.append(toOne(part.name, part.kind, inverse: inverse))
      }
      if let whole = kind.whole { properties.append(toOne(whole.name, whole.kind, inverse: nil)) }
      if let reference = kind.reference {
        let inverse = version.kinds.first { $0.name == reference.kind }?.members?.name
        properties.append(toOne(reference.name, reference.kind, inverse: inverse))
      }
      if let members = kind.members { properties.append(toMany(members.name, members.kind)) }
      return Self.shapes[place].named(kind.name, properties)
    }
  }

  private func next(_ version: Version, _ fresh: () -> Int, _ random: inout SeededGenerator) -> Version {
    var next = version
    let number = version.plan.count + 1
    let place = Int.random(in: next.kinds.indices, using: &random)
    let kind = next.kinds[place]
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: next.plan.append(move(place, &next, number, fresh, &random))
    case 2 where kind.part == nil && kind.columns.count > 1 && next.kinds.count < Self.shapes.count:
      next.plan.append(extract(place, &next, number, fresh, &random))
    case 3
    where next.kinds.first { $0.name == kind.part?.kind }.map { $0.reference == nil && $0.members == nil } ?? false:
      next.plan.append(inline(place, &next, number, fresh))
    case 4 where next.kinds.count < Self.shapes.count && kind.isAlone:
      next.plan.append(split(place, &next, number, fresh))
    case 5 where kind.columns.count > 1:
      let column = Int.random(in: kind.columns.indices, using: &random)
      let name = kind.columns[column].name
      next.kinds[place].columns.remove(at: column)
      next.plan.append(Migration(to: number, "\(number)", removing: [.attribute(name, of: kind.name)]))
    case 6:
      if let merged = merge(&next, number, fresh) { next.plan.append(merged) }
    default:
      let column = Int.random(in: kind.columns.indices, using: &random)
      let name = kind.columns[column].name
      next.kinds[place].columns[column].isText.toggle()
      next.plan.append(
        kind.columns[column].isText
          ? Migration(
            to: number, "\(number)",
            AttributeConversion(name, of: kind.name, from: String.self, to: Int.self) { Int($0.dropFirst()) ?? -1 })
          : Migration(
            to: number, "\(number)",
            AttributeConversion(name, of: kind.name, from: Int.self, to: String.self) { "t\($0)" }))
    }
    return next
  }

  private func move(
    _ place: Int, _ version: inout Version, _ number: Int, _ fresh: () -> Int, _ random: inout SeededGenerator
  ) -> Migration {
    let kind = version.kinds[place]
    var moved = kind
    moved.name = "K\(fresh())"
    var renamed: [String: String] = [:]
    for column in moved.columns.indices where Bool.random(using: &random) {
      let name = "c\(fresh())"
      renamed[moved.columns[column].name] = name
      moved.columns[column].name = name
    }
    // What the models do not have is left behind.
    if moved.columns.count > 1, Int.random(in: 0..<3, using: &random) == 0 { moved.columns.removeLast() }
    if let part = moved.part, Bool.random(using: &random) {
      let name = "r\(fresh())"
      renamed[part.name] = name
      moved.part?.name = name
    }
    if let reference = moved.reference, Bool.random(using: &random) {
      let name = "r\(fresh())"
      renamed[reference.name] = name
      moved.reference?.name = name
    }
    if let members = moved.members, Bool.random(using: &random) {
      let name = "m\(fresh())"
      renamed[members.name] = name
      moved.members?.name = name
    }
    renamed = renamed.filter { name in
      moved.columns.contains { $0.name == name.value }
        || [moved.part?.name, moved.reference?.name, moved.members?.name].contains(name.value)
    }
    var assignments: [EntityMapping.Assignment] = []
    if Bool.random(using: &random) {
      let name = "c\(fresh())"
      let from = kind.columns[0]
      moved.columns.append(Column(name: name, isText: true))
      assignments.append(.init(name, String.self) { "of \($0[from.name])" })
    }
    version.kinds[place] = moved
    rename(kind.name, to: moved.name, &version)
    return Migration(
      to: number, "\(number)",
      mapping: [.move(kind.name, to: moved.name, renaming: renamed, setting: assignments)])
  }

  private func rename(_ name: String, to next: String, _ version: inout Version) {
    for place in version.kinds.indices {
      if version.kinds[place].part?.kind == name { version.kinds[place].part?.kind = next }
      if version.kinds[place].whole?.kind == name { version.kinds[place].whole?.kind = next }
      if version.kinds[place].reference?.kind == name { version.kinds[place].reference?.kind = next }
      if version.kinds[place].members?.kind == name { version.kinds[place].members?.kind = next }
    }
  }

  private func extract(
    _ place: Int, _ version: inout Version, _ number: Int, _ fresh: () -> Int, _ random: inout SeededGenerator
  ) -> Migration {
    let kind = version.kinds[place]
    let column = Int.random(in: kind.columns.indices, using: &random)
    let (name, relationship, back) = ("K\(fresh())", "r\(fresh())", "b\(fresh())")
    version.kinds[place].columns.remove(at: column)
    version.kinds[place].part = (relationship, name)
    version.kinds.append(Kind(name: name, columns: [kind.columns[column]], whole: (back, kind.name)))
    return Migration(
      to: number, "\(number)",
      mapping: [.extract(name, from: kind.name, as: relationship, moving: [kind.columns[column].name])])
  }

  private func inline(_ place: Int, _ version: inout Version, _ number: Int, _ fresh: () -> Int) -> Migration {
    let kind = version.kinds[place]
    guard let part = kind.part, let other = version.kinds.firstIndex(where: { $0.name == part.kind }) else {
      return Migration(to: number, "\(number)")
    }
    var renamed: [String: String] = [:]
    for column in version.kinds[other].columns {
      let name = "c\(fresh())"
      renamed[column.name] = name
      version.kinds[place].columns.append(Column(name: name, isText: column.isText))
    }
    // A part of a part goes with it.
    let rest = version.kinds[other].part
    version.kinds[place].part = nil
    version.kinds.remove(at: other)
    if let rest, let last = version.kinds.firstIndex(where: { $0.name == rest.kind }) {
      version.kinds[last].whole = nil
    }
    return Migration(
      to: number, "\(number)",
      mapping: [.inline(part.kind, into: kind.name, through: part.name, renaming: renamed)])
  }

  private func split(_ place: Int, _ version: inout Version, _ number: Int, _ fresh: () -> Int) -> Migration {
    let kind = version.kinds[place]
    var other = kind
    other.name = "K\(fresh())"
    // No two kinds have columns of one name: a last model with that name would say that both are taken along.
    var renamed: [String: String] = [:]
    for column in other.columns.indices {
      let name = "c\(fresh())"
      renamed[other.columns[column].name] = name
      other.columns[column].name = name
    }
    version.kinds.append(other)
    let column = kind.columns[0].name
    return Migration(
      to: number, "\(number)",
      mapping: [
        .move(
          kind.name, to: other.name, renaming: renamed,
          where: { object in "\(object[column])".utf8.reduce(0) { $0 ^ $1 } & 1 == 1 })
      ])
  }

  /// Two kinds become one, with the columns of both.
  private func merge(_ version: inout Version, _ number: Int, _ fresh: () -> Int) -> Migration? {
    let places = version.kinds.indices.filter { version.kinds[$0].isAlone }
    if places.count < 2 { return nil }
    let (one, two) = (version.kinds[places[0]], version.kinds[places[1]])
    let merged = Kind(name: "K\(fresh())", columns: one.columns + two.columns)
    version.kinds[places[0]] = merged
    version.kinds.remove(at: places[1])
    return Migration(
      to: number, "\(number)",
      mapping: [.move(one.name, to: merged.name), .move(two.name, to: merged.name)])
  }

  // MARK: Stores

  private func open(_ path: String, _ version: Version) async throws -> Store {
    try await Store.open(
      path, for: Schema(models(version)), durability: .relaxed,
      migrations: version.plan.isEmpty ? nil : MigrationPlan(version.plan))
  }

  /// All objects by their values, with their parts. Parts have other UUIDs, as these follow from the store's numbers.
  private func contents(_ store: Store, _ version: Version) throws -> [String] {
    let context = RootContext(store)
    var texts: [UniqueID: (text: String, links: [UniqueID?])] = [:]
    func read<Model: Shape>(_ model: Model.Type, _ kind: Kind) throws {
      for object in try context.fetch(Fetch<Model>()) {
        var text = kind.name + kind.columns.map { " \($0.name)=\(object[$0.name])" }.joined()
        if let members = kind.members { text += " \(object.memberIDs(members.name).count) members" }
        let links = [kind.part, kind.reference].compactMap { $0.map { object.target($0.name) } }
        texts[object.id.uuid] = (text, links)
      }
    }
    for (place, kind) in version.kinds.enumerated() { try read(Self.shapes[place], kind) }
    func text(_ id: UniqueID?, depth: Int = 4) -> String {
      guard let id, let found = texts[id], depth > 0 else { return "none" }
      return "(\(found.text) \(found.links.map { text($0, depth: depth - 1) }.joined(separator: " ")))"
    }
    return texts.keys.map { text($0) }.sorted()
  }

  func testARandomChainOfMigrationsComesToTheSameOpenedAtOnce() async throws {
    for seed in testSeeds(12) {
      var random = SeededGenerator(seed: seed)
      var last = 0
      func fresh() -> Int {
        last += 1
        return last
      }
      var kinds = [3, 2, 2].map { count in
        Kind(name: "K\(fresh())", columns: (0..<count).map { _ in Column(name: "c\(fresh())") })
      }
      if Bool.random(using: &random) {
        kinds[0].reference = ("r\(fresh())", kinds[1].name)
        kinds[1].members = ("m\(fresh())", kinds[0].name)
      }
      let first = Version(kinds: kinds)
      let step = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
      let leap = step + "-leap"
      defer { for path in [step, leap] { try? FileManager.default.removeItem(atPath: path) } }
      var store = try await open(step, first)
      let context = RootContext(store)
      for number in 0..<5 {
        let values = { (kind: Kind) in
          Dictionary(uniqueKeysWithValues: kind.columns.enumerated().map { ($1.name, 10 * number + $0) })
        }
        let one = context.insert(ShapeA(values(first.kinds[0])))
        let two = context.insert(ShapeB(values(first.kinds[1])))
        context.insert(ShapeC(values(first.kinds[2])))
        if let reference = first.kinds[0].reference, number > 0 { one.point(reference.name, to: two) }
      }
      try await context.save()
      try await store.close()
      try FileManager.default.copyItem(atPath: step, toPath: leap)

      var version = first
      for _ in 0..<Int.random(in: 2...5, using: &random) {
        version = next(version, fresh, &random)
        store = try await open(step, version)
        if Int.random(in: 0..<4, using: &random) > 0 {
          try await store.close()
          continue
        }
        let expected = try contents(store, version)
        try await store.close()
        let leaping = try await open(leap, version)
        XCTAssertEqual(try contents(leaping, version), expected, "seed \(seed)")
        try await assertSound(leaping)
        try await leaping.close()
      }
      store = try await open(step, version)
      let expected = try contents(store, version)
      try await assertSound(store)
      try await store.close()
      do {
        let leaping = try await open(leap, version)
        let found = try contents(leaping, version)
        XCTAssertEqual(found, expected, "seed \(seed)")
        try await assertSound(leaping)
        try await leaping.close()
      } catch { XCTFail("seed \(seed): \(error)") }
    }
  }
}
