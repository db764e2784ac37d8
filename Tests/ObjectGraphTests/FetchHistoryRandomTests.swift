import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// The history of a query against a look at every object before and after each transaction.
final class FetchHistoryRandomTests: XCTestCase {
  private let items = RandomItems()

  private struct Told: Equatable {
    let position: Position
    var added: Set<AnyObjectID> = []
    var removed: Set<AnyObjectID> = []
    var updated: Set<AnyObjectID> = []

    var isEmpty: Bool { added.isEmpty && removed.isEmpty && updated.isEmpty }
  }

  private func told<Model>(_ history: [FetchChange<Model>]) -> [Told] {
    history.map { change in
      Told(
        position: change.transaction.position, added: Set(change.added.map(\.any)),
        removed: Set(change.removed.map(\.any)), updated: Set(change.updated.map(\.any)))
    }
  }

  /// What matched after each transaction from position 0 on.
  private func expected(_ found: [Set<AnyObjectID>], _ store: Store) throws -> [Told] {
    try (1..<found.count).reversed().compactMap { number in
      let position = Position(UInt64(number))
      let changed = try store.log.difference(from: position - 1, to: position).changes.filter { change in
        change.properties.contains { if case .value = $0.form { true } else { false } }
      }
      let (before, after) = (found[number - 1], found[number])
      let told = Told(
        position: position, added: after.subtracting(before), removed: before.subtracting(after),
        updated: before.intersection(after).intersection(changed.map(\.object)))
      return told.isEmpty ? nil : told
    }
  }

  @MainActor
  func testAQuerysHistoryIsWhatALookAtEveryObjectBeforeAndAfterFinds() async throws {
    for seed in testSeeds(4) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(windowBudget: Bool.random(using: &random) ? 2_000 : nil)
      let root = RootContext(test.store)
      let other = RootContext(test.store)
      let people = (0..<4).map { root.insert(Person(name: "\($0)", zip: 10 * $0)).id }
      try await root.save()
      for _ in 0..<30 {
        try other.refresh()
        for _ in 0..<Int.random(in: 1...8, using: &random) { try items.edit(other, people, &random) }
        try await other.save(merging: .mine)
        for _ in 0..<Int.random(in: 0...3, using: &random) { try items.edit(root, people, &random) }
        try await root.save(merging: .mine)
      }
      let context = RootContext(test.store)
      // Later saves are none of its concern.
      for _ in 0..<6 { try items.edit(other, people, &random) }
      try await other.save(merging: .mine)
      try items.edit(context, people, &random)

      let head = Int(context.position.number)
      let pasts = try (0...head).map { try test.store.context(at: Position(UInt64($0))) }
      let all = try pasts.map { try $0.fetch(Fetch<Item>()) }
      for _ in 0..<12 {
        let (condition, holds) = items.test(people, all.flatMap { $0.prefix(3) }, &random)
        let fetch = Fetch<Item>(condition)
        let found = all.map { Set($0.filter(holds).map(\.id.any)) }
        XCTAssertEqual(
          told(try context.history(of: fetch)), try expected(found, test.store), "seed \(seed): \(fetch)")
      }
      for (number, person) in people.enumerated() {
        let found = try pasts.map { past in
          Set(try past.exists(Fetch<Person> { $0.id == person }) ? past.object(person).items.map(\.id.any) : [])
        }
        let history = try context.history(of: context.object(person)) { $0.items }
        XCTAssertEqual(told(history), try expected(found, test.store), "seed \(seed): items of person \(number)")
      }
    }
  }

  @MainActor
  func testQueriesOverPairsHaveTheirHistoryWhicheverEndTheyAreAskedFrom() async throws {
    for seed in testSeeds(4) {
      var random = SeededGenerator(seed: seed)
      let test = try TestStore(
        Schema(Student.self, Course.self, Diary.self), windowBudget: Bool.random(using: &random) ? 2_000 : nil)
      let context = RootContext(test.store)
      var students = (0..<5).map { context.insert(Student("\($0)")) }
      var courses = (0..<4).map { context.insert(Course("\($0)")) }
      let (student, course) = (students[0].id, courses[0].id)
      for _ in 0..<60 {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          guard let one = students.randomElement(using: &random), let two = students.randomElement(using: &random),
            let course = courses.randomElement(using: &random)
          else { break }
          switch Int.random(in: 0..<9, using: &random) {
          case 0, 1: one.courses.insert(course)
          case 2: course.students.remove(one)
          case 3: if one !== two { one.friends.insert(two) }
          case 4: one.friends.remove(two)
          case 5: one.name = String(Int.random(in: 0..<5, using: &random))
          case 6: course.title = String(Int.random(in: 0..<4, using: &random))
          case 7: students.append(context.insert(Student("new")))
          default:
            if students.count > 3 {
              students.removeAll { $0 === two }
              context.delete(two)
            } else if courses.count > 2 {
              courses.removeAll { $0 === course }
              context.delete(course)
            }
          }
        }
        try await context.save()
      }
      let head = Int(context.position.number)
      let pasts = try (0...head).map { try test.store.context(at: Position(UInt64($0))) }
      func check(_ condition: @escaping (Student.Fields) -> Condition<Student>, _ holds: (Student) -> Bool) throws {
        let found = try pasts.map { Set(try $0.fetch(Fetch<Student>()).filter(holds).map(\.id.any)) }
        let fetch = Fetch<Student>(condition)
        XCTAssertEqual(
          told(try context.history(of: fetch)), try expected(found, test.store), "seed \(seed): \(fetch)")
      }
      try check({ $0.courses.contains(course) }, { $0.courses.contains { $0.id == course } })
      try check({ $0.courses.any { $0.title == "1" } }, { $0.courses.contains { $0.title == "1" } })
      try check({ $0.courses.count > 1 }, { $0.courses.count > 1 })
      try check({ $0.friends.contains(student) }, { $0.friends.contains { $0.id == student } })
      try check({ $0.friends.all { $0.name == "2" } }, { $0.friends.allSatisfy { $0.name == "2" } })
      try check(
        { $0.courses.any { $0.students.any { $0.name == "3" } } },
        { $0.courses.contains { $0.students.contains { $0.name == "3" } } })
    }
  }
}
