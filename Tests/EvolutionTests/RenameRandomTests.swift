import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestSeeds
import Synchronization
import XCTest

/// A model that is described anew for each version of a program.
private final class Shapeless: Version {
  private static let current = Mutex<Entity?>(nil)
  static var entity: Entity { current.withLock { $0 } ?? none }
  private static let none = Entity(Shapeless.self, name: "Thing", properties: [])

  static func describe(_ properties: [Property]) -> Entity {
    let entity = Entity(Shapeless.self, name: "Thing", properties: properties)
    use(entity)
    return entity
  }
  static func use(_ entity: Entity) { current.withLock { $0 = entity } }

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Random renames, exchanges and new properties under old names, against a table of values by property.
final class RenameRandomTests: XCTestCase {
  private struct Column {
    let number: Int
    var name: String
    var former: [String] = []
  }

  private struct Program {
    let entity: Entity
    /// By name: the number of the column that the program means.
    let columns: [String: Int]
  }

  private func program(_ columns: [Column]) -> Program {
    let properties = columns.map { column -> Property in
      var property = Property.attribute(column.name, Int.self, default: -column.number, indexed: column.number % 2 == 0)
      property.formerNames = column.former.reversed()
      return property
    }
    let entity = Shapeless.describe(properties)
    return Program(entity: entity, columns: Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.number) }))
  }

  func testNoProgramReadsOnePropertyAsAnotherWhateverWasRenamed() async throws {
    for seed in testSeeds(12) {
      var random = SeededGenerator(seed: seed)
      let test = EvolvingStore()
      var columns = (1...3).map { Column(number: $0, name: ["a", "b", "c"][$0 - 1]) }
      var given: Set<String> = []
      var programs: [Program] = []
      var values: [UniqueID: [Int: Int]] = [:]
      for _ in 0..<8 {
        let newest = program(columns)
        programs.append(newest)
        for program in [newest, programs.randomElement(using: &random)!] {
          Shapeless.use(program.entity)
          let store: Store
          do {
            store = try await test.open(Shapeless.self)
          } catch StoreError.renamedByNewerProgram where program.entity !== newest.entity {
            continue
          } catch StoreError.ambiguousRename where program.entity !== newest.entity {
            continue
          }
          let context = RootContext(store)
          for object in try context.fetch(Fetch<Shapeless>()) {
            for (name, number) in program.columns {
              let expected = values[object.id.uuid]?[number] ?? -number
              XCTAssertEqual(object[name], .int(Int64(expected)), "seed \(seed): \(name), which is \(number)")
            }
            if Bool.random(using: &random), let (name, number) = program.columns.randomElement(using: &random) {
              let value = Int.random(in: 0..<1_000, using: &random)
              object[name] = .int(Int64(value))
              values[object.id.uuid, default: [:]][number] = value
            }
          }
          let new = context.insert(Shapeless())
          values[new.id.uuid] = [:]
          try await context.save()
          try await assertSound(store)
        }
        change(&columns, &given, &random)
      }
      try await test.close()
    }
  }

  /// - Parameter given: The names that have gone from one to another. Names alone do not tell that one came back to
  ///   what had it, nor that two exchanged names that had one in turn: that takes versions.
  private func change(_ columns: inout [Column], _ given: inout Set<String>, _ random: inout SeededGenerator) {
    func rename(_ place: Int, to name: String) {
      columns[place].former.removeAll { $0 == name }
      columns[place].former.append(columns[place].name)
      columns[place].name = name
    }
    let first = Int.random(in: columns.indices, using: &random)
    let second = Int.random(in: columns.indices, using: &random)
    switch Int.random(in: 0..<3, using: &random) {
    case 0
    where first != second && given.isDisjoint(with: [columns[first].name, columns[second].name])
      && Set(columns[first].former).isDisjoint(with: columns[second].former):
      let names = (columns[first].name, columns[second].name)
      given.formUnion([names.0, names.1])
      rename(first, to: names.1)
      rename(second, to: names.0)
    case 1 where !given.contains(columns[first].name):
      let free = columns[first].name
      given.insert(free)
      rename(first, to: "n\(Int.random(in: 0..<1_000_000, using: &random))")
      columns.append(Column(number: columns.count + 1, name: free))
    default: rename(first, to: "n\(Int.random(in: 0..<1_000_000, using: &random))")
    }
  }
}
