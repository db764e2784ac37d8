import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestModels
import XCTest

// Entities as programs of several versions declare them, and what tests do with any of them.

/// A model whose properties tests reach by their names.
protocol Version: TestModel where Fields == NoFields<Self> {}

extension Version {
  func link(_ name: String) -> Self? { _storage.toOne(Self.entity.slot(named: name)!) }
  func setLink(_ name: String, to other: Self?) { _storage.setToOne(Self.entity.slot(named: name)!, other, of: self) }
  func members(_ name: String) -> ToMany<Self> { ToMany(Self.entity.slot(named: name)!, of: self) }
}

final class Employee: Version {
  static let entity = Entity(
    Employee.self, name: "Employee",
    properties: [
      .attribute("name", String.self, indexed: true),
      .attribute("salary", Int.self, default: 7, indexed: true),
      .attribute("nick", String?.self),
      .toOne("boss", Employee.self, inverse: "staff"),
      .toMany("staff", Employee.self),
      .searchIndex("name"),
      .index(["boss", "salary"]),
      .unique(["nick"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// All of an employee under other names.
final class Worker: Version {
  static let entity = Entity(
    Worker.self, name: "Worker", was: "Employee",
    properties: [
      .toMany("team", Worker.self, was: "staff"),
      .toOne("lead", Worker.self, inverse: "team", was: "boss"),
      .attribute("pay", Int.self, default: 7, indexed: true, was: "salary"),
      .attribute("fullName", String.self, indexed: true, was: "name"),
      .attribute("alias", String?.self, was: "nick"),
      .searchIndex("fullName"),
      .index(["lead", "pay"]),
      .unique(["alias"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// A later version, of a program that may have left out the one between.
final class Colleague: Version {
  static let entity = Entity(
    Colleague.self, name: "Colleague", was: "Worker", "Employee",
    properties: [
      .attribute("fullName", String.self, indexed: true, was: "name"),
      .attribute("income", Int.self, default: 7, indexed: true, was: "pay", "salary"),
      .attribute("alias", String?.self, was: "nick"),
      .toOne("lead", Colleague.self, inverse: "team", was: "boss"),
      .toMany("team", Colleague.self, was: "staff"),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// An employee whose salary was renamed without a word.
final class Forgetful: Version {
  static let entity = Entity(
    Forgetful.self, name: "Employee",
    properties: [
      .attribute("name", String.self, indexed: true), .attribute("pay", Int.self, default: 7),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class Point: Version {
  static let entity = Entity(
    Point.self, name: "Point",
    properties: [.attribute("x", Int.self, indexed: true), .attribute("y", Int.self), .index(["x", "y"])])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// x and y have exchanged their names.
final class SwappedPoint: Version {
  static let entity = Entity(
    SwappedPoint.self, name: "Point",
    properties: [
      .attribute("x", Int.self, was: "y"), .attribute("y", Int.self, indexed: true, was: "x"), .index(["y", "x"]),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// x is called left now, and x is something new.
final class ReusingPoint: Version {
  static let entity = Entity(
    ReusingPoint.self, name: "Point",
    properties: [
      .attribute("x", Int.self, default: 1), .attribute("left", Int.self, indexed: true, was: "x"),
      .attribute("y", Int.self),
    ])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// Says that y was x, while there are both.
final class ConfusedPoint: Version {
  static let entity = Entity(
    ConfusedPoint.self, name: "Point", properties: [.attribute("y", Int.self, was: "x")])
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// A store that programs of several versions open one after the other.
final class EvolvingStore {
  let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"
  private(set) var store: Store?

  func open(
    _ models: any PersistentModel.Type..., isStrict: Bool = false, checksRenames: Bool = true
  ) async throws -> Store {
    try await store?.close()
    store = nil
    let store = try await Store.open(
      path, for: Schema(models), isStrict: isStrict, checksRenames: checksRenames)
    self.store = store
    return store
  }

  /// What a kill leaves, for the next program.
  func kill() async throws {
    await store?.abandon()
    store = nil
  }

  func close() async throws {
    try await store?.close()
    store = nil
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

extension XCTestCase {
  func assertSound(_ store: Store, file: StaticString = #filePath, line: UInt = #line) async throws {
    let report = try await StoreMaintenance.verify(store)
    XCTAssertEqual(report.problems, [], file: file, line: line)
  }
}
