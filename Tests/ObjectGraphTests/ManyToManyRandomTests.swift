import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery
import RepriseTestModels
import RepriseTestSeeds
import XCTest

/// Pairs against a plain set of pairs: two contexts and their children, undo, saves that merge, and reopening.
final class ManyToManyRandomTests: XCTestCase {
  private struct Pair: Hashable {
    let student: AnyObjectID
    let course: AnyObjectID
  }

  /// What is there, as a set.
  private struct Plain: Hashable {
    var objects: Set<AnyObjectID> = []
    var pairs: Set<Pair> = []

    mutating func delete(_ id: AnyObjectID) {
      objects.remove(id)
      pairs = pairs.filter { $0.student != id && $0.course != id }
    }
  }

  /// A context, what it began with, and what it shows after each of its steps.
  private final class Editor {
    let context: RootContext
    var base = Plain()
    var steps: [Plain]

    init(_ store: Store) {
      context = RootContext(store)
      steps = [base]
    }

    var now: Plain { steps[steps.count - 1] }

    /// What a save of mine makes of what others saved.
    func merged(with head: Plain) -> Plain {
      var merged = head
      merged.objects.formUnion(now.objects.subtracting(base.objects))
      merged.pairs.formUnion(now.pairs.subtracting(base.pairs))
      merged.pairs.subtract(base.pairs.subtracting(now.pairs))
      for id in base.objects.subtracting(now.objects) { merged.delete(id) }
      merged.pairs = merged.pairs.filter { merged.objects.contains($0.student) && merged.objects.contains($0.course) }
      return merged
    }
  }

  private func shown(_ context: ObjectContext) throws -> Plain {
    var plain = Plain()
    let (students, courses) = (try context.fetch(Fetch<Student>()), try context.fetch(Fetch<Course>()))
    plain.objects = Set(students.map(\.id.any) + courses.map(\.id.any))
    for student in students {
      for course in student.courses { plain.pairs.insert(Pair(student: student.id.any, course: course.id.any)) }
    }
    var back: Set<Pair> = []
    for course in courses {
      XCTAssertEqual(course.students.count, course.students.map { $0 }.count)
      for student in course.students {
        back.insert(Pair(student: student.id.any, course: course.id.any))
        XCTAssertTrue(course.students.contains(student))
      }
      let found = try context.fetchIDs(Fetch<Student> { $0.courses.contains(course.id) })
      XCTAssertEqual(Set(found), Set(course.students.map(\.id)))
    }
    XCTAssertEqual(plain.pairs, back)
    return plain
  }

  private func edit(_ context: EditingContext, _ plain: inout Plain, _ random: inout SeededGenerator) throws {
    let (students, courses) = (try context.fetch(Fetch<Student>()), try context.fetch(Fetch<Course>()))
    let (student, course) = (students.randomElement(using: &random), courses.randomElement(using: &random))
    switch Int.random(in: 0..<10, using: &random) {
    case 0: plain.objects.insert(context.insert(Student("s")).id.any)
    case 1: plain.objects.insert(context.insert(Course("c")).id.any)
    case 2:
      guard let victim: any PersistentModel = Bool.random(using: &random) ? student : course else { return }
      plain.delete(victim._storage.id)
      if let student = victim as? Student { context.delete(student) }
      if let course = victim as? Course { context.delete(course) }
    case 3:
      guard let student else { return }
      let some = courses.filter { _ in Bool.random(using: &random) }
      student.courses = ToMany(some)
      plain.pairs = plain.pairs.filter { $0.student != student.id.any }
      plain.pairs.formUnion(some.map { Pair(student: student.id.any, course: $0.id.any) })
    case 4..<8:
      guard let student, let course else { return }
      if Bool.random(using: &random) { student.courses.insert(course) } else { course.students.insert(student) }
      plain.pairs.insert(Pair(student: student.id.any, course: course.id.any))
    default:
      guard let student, let course else { return }
      if Bool.random(using: &random) { student.courses.remove(course) } else { course.students.remove(student) }
      plain.pairs.remove(Pair(student: student.id.any, course: course.id.any))
    }
  }

  func testRandomPairsAreThoseOfASet() async throws { try await run(testSeeds(15), isShared: false) }

  func testRandomPairsOfTwoServersAreThoseOfASet() async throws { try await run(testSeeds(15), isShared: true) }

  private func run(_ seeds: [UInt64], isShared: Bool) async throws {
    continueAfterFailure = false
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let test = try await TestStore.make(Schema(Student.self, Course.self, Diary.self), isShared: isShared)
      let editors = [Editor(test.store), Editor(test.storeOfOther)]
      var head = Plain()
      for _ in 0..<100 {
        let editor = editors[Int.random(in: 0..<2, using: &random)]
        let context = editor.context
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<6:
          var now = editor.now
          try edit(context, &now, &random)
          if now != editor.now { editor.steps.append(now) }
        case 6:
          let child = context.makeChild()
          var now = editor.now
          for _ in 0..<3 { try edit(child, &now, &random) }
          XCTAssertEqual(try shown(child), now, "\(seed)")
          XCTAssertEqual(try shown(context), editor.now, "\(seed)")
          if Bool.random(using: &random) {
            try child.save()
            if now != editor.now { editor.steps.append(now) }
          }
        case 7:
          guard editor.steps.count > 1 else { continue }
          context.undo()
          editor.steps.removeLast()
        default:
          let merged = editor.merged(with: head)
          test.server?.mayLoseAnswer(using: &random)
          try await context.save(merging: .mine)
          try await test.followAll()
          // A save of nothing stays where it is.
          try context.refresh()
          head = merged
          editor.base = head
          editor.steps = [head]
        }
        XCTAssertEqual(try shown(context), editor.now, "\(seed)")
        XCTAssertEqual(try shown(RootContext(test.store)), head, "\(seed)")
      }
      try await test.requireAgreement()
      try await test.store.close()
      try test.open()
      XCTAssertEqual(try shown(RootContext(test.store)), head, "\(seed)")
    }
  }
}
