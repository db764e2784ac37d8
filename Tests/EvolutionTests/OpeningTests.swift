import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseSystem
import Synchronization
import XCTest

private let fields: [Property] = [.attribute("first", String.self), .attribute("number", Int?.self)]

private final class BareMember: Version {
  static let entity = Entity(BareMember.self, name: "Member", properties: fields)
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// All that an opening does to objects without a migration.
private final class Member: Version {
  static let entity = Entity(
    Member.self, name: "Member",
    properties: fields + [
      .derived("length", Int.self, of: Member.self, indexed: true) { "\($0["first"])".count }, .unique(["number"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Forgotten: Version {
  static let entity = Entity(
    Forgotten.self, name: "Member",
    properties: [.attribute("given", String.self), .attribute("number", String?.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Where an opening works, and how it ends.
final class OpeningTests: XCTestCase {
  private let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  override func tearDown() { try? FileManager.default.removeItem(atPath: path) }

  private func fill(_ count: Int) async throws {
    let store = try await Store.open(path, for: BareMember.self)
    let context = RootContext(store)
    for number in 0..<count { context.insert(BareMember(["first": "F\(number)", "number": number])) }
    try await context.save()
    try await store.close()
  }

  /// Each step of the opening waits for the main actor, from which the store is opened: would it do the work, or wait
  /// for it, neither went on.
  func testTheMainActorIsFreeWhateverAnOpeningDoes() async throws {
    try await fill(3_000)
    let works = Mutex<Set<MigrationProgress.Work>>([])
    let isStuck = Mutex(false)
    let progress: @Sendable (MigrationProgress) -> Void = { progress in
      _ = works.withLock { $0.insert(progress.work) }
      let isDone = DispatchSemaphore(value: 0)
      Task { @MainActor in isDone.signal() }
      if isDone.wait(timeout: .now() + 60) == .timedOut { isStuck.withLock { $0 = true } }
    }
    let path = self.path
    let store = try await Task { @MainActor in
      try await Store.open(path, for: Member.self, progress: progress)
    }.value
    XCTAssertEqual(works.withLock { $0 }, [.derivation, .index])
    try await store.close()
    let plan = MigrationPlan(
      Migration(
        to: 1, "Texts",
        AttributeConversion("number", of: "Member", from: Int?.self, to: String?.self) { $0.map { "\($0)" } }))
    let migrated = try await Task { @MainActor in
      try await Store.open(path, for: TextMember.self, migrations: plan, progress: progress)
    }.value
    XCTAssertEqual(works.withLock { $0 }, [.derivation, .index, .migration])
    XCTAssertFalse(isStuck.withLock { $0 })
    try await migrated.close()
  }

  func testAPreviewTellsWhatTheModelsChangeAndWhatWouldBeRefused() async throws {
    let store = try await Store.open(path, for: BareMember.self)
    let context = RootContext(store)
    let members = (0..<20).map { context.insert(BareMember(["first": "F\($0)", "number": $0 % 18])) }
    context.insert(BareMember(["first": "without"]))
    context.insert(BareMember(["first": "without"]))
    try await context.save()
    let head = store.log.head
    try await store.close()
    let plan = MigrationPlan(Migration(to: 1, "Nothing"), oldestVersion: 0)
    let preview = try await StoreMaintenance.preview(plan, of: path, for: Schema(Person.self, Club.self))
    XCTAssertEqual(
      preview.renames.map { [$0.entity, $0.property, $0.former] },
      [["Person", nil, "Member"], ["Person", "name", "first"]])
    XCTAssertEqual(
      preview.additions.map { [$0.entity, $0.property] }, [["Club", nil], ["Person", "city"]])
    XCTAssertEqual(preview.indexes.map(\.properties), [["name"], ["city"], ["number"]])
    XCTAssertEqual(preview.indexes.map(\.isUnique), [false, false, true])
    XCTAssertEqual(preview.indexes.map(\.objects), [22, 22, 22])
    XCTAssertEqual(
      preview.indexes[2].violations.map(\.object), members[18...].map { AnyObjectID(EntityName("Person"), $0.id.uuid) })
    do {
      _ = try await Store.open(path, for: Person.self, Club.self, migrations: plan)
      XCTFail("opened")
    } catch StoreError.violations(let violations) {
      XCTAssertEqual(violations.count, 2)
    }
    let again = try await Store.open(path, for: BareMember.self)
    XCTAssertEqual(again.log.head, head)
    try await again.close()
  }

  func testAPreviewTellsWhatNoModelWouldNameAndWhatWouldBeComputed() async throws {
    try await fill(20)
    let plan = MigrationPlan(
      Migration(
        to: 1, "Texts",
        AttributeConversion("number", of: "Member", from: Int?.self, to: String?.self) { $0.map { "\($0)" } }))
    // Renamed without a word.
    let renamed = try await StoreMaintenance.preview(plan, of: path, for: Schema(Forgotten.self))
    XCTAssertEqual(renamed.additions.map(\.property), ["given"])
    XCTAssertEqual(renamed.warnings, [.property("first", entity: "Member")])
    XCTAssertEqual(renamed.derivations, [])
    let computed = try await StoreMaintenance.preview(plan, of: path, for: Schema(TextMember.self))
    XCTAssertEqual(computed.warnings, [])
    let same = MigrationPlan(Migration(to: 1, "Nothing"))
    let derived = try await StoreMaintenance.preview(same, of: path, for: Schema(Member.self))
    XCTAssertEqual(derived.derivations.map { [$0.entity, $0.property] }, [["Member", "length"]])
    XCTAssertEqual(derived.derivations.map(\.objects), [20])
    XCTAssertEqual(derived.unmatchedSteps, [])
  }

  func testAUniqueIndexWhoseBuildingWasCancelledGoesOnAtTheNextOpening() async throws {
    try await fill(6_000)
    let path = self.path
    let hasBegun = DispatchSemaphore(value: 0)
    let isCancelled = DispatchSemaphore(value: 0)
    let task = Task {
      try await Store.open(path, for: UniqueMember.self) { progress in
        if progress.done > 0 { hasBegun.signal() }
        isCancelled.wait()
        isCancelled.signal()
      }
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isCancelled.signal()
        hasBegun.wait()
        isCancelled.wait()
        continuation.resume()
      }
    }
    task.cancel()
    isCancelled.signal()
    do {
      try await task.value.close()
      XCTFail("opened")
    } catch StoreError.migration(.cancelled) {}
    let store = try await Store.open(path, for: UniqueMember.self)
    let context = RootContext(store)
    context.insert(UniqueMember(["first": "x", "number": 7]))
    do {
      try await context.save()
      XCTFail("saved")
    } catch SaveError.refused {}
    XCTAssertEqual(store.unfinishedIndexes, [])
    try await assertSound(store)
    try await store.close()
  }
}

private final class TextMember: Version {
  static let entity = Entity(
    TextMember.self, name: "Member",
    properties: [.attribute("first", String.self), .attribute("number", String?.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class UniqueMember: Version {
  static let entity = Entity(
    UniqueMember.self, name: "Member", properties: fields + [.unique(["number"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Person: Version {
  static let entity = Entity(
    Person.self, name: "Person", was: "Member",
    properties: [
      .attribute("name", String.self, indexed: true, was: "first"), .attribute("number", Int?.self),
      .attribute("city", String?.self, indexed: true), .unique(["number"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

private final class Club: Version {
  static let entity = Entity(Club.self, name: "Club", properties: [.attribute("name", String.self)])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}
