import Foundation
import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import Synchronization
import XCTest

/// A model that tests describe again for each version of a program.
protocol Shape: Version {
  static var described: DescribedEntity { get }
}

/// The entity that a shape has at the moment.
final class DescribedEntity: Sendable {
  private let current = Mutex<Entity?>(nil)

  var entity: Entity? { current.withLock { $0 } }

  func use(_ entity: Entity) { current.withLock { $0 = entity } }
}

extension Shape {
  static var entity: Entity { described.entity ?? Entity(Self.self, name: "Nothing", properties: []) }

  /// Describes the model, and returns it.
  @discardableResult
  static func named(_ name: String, _ properties: Property...) -> any PersistentModel.Type { named(name, properties) }

  /// Describes the model, and returns it.
  ///
  /// - Parameter former: The names that it had, two at most.
  @discardableResult
  static func named(_ name: String, was former: [String] = [], _ properties: [Property]) -> any PersistentModel.Type {
    let entity =
      switch former.count {
      case 0: Entity(Self.self, name: name, properties: properties)
      case 1: Entity(Self.self, name: name, was: former[0], properties: properties)
      default: Entity(Self.self, name: name, was: former[0], former[1], properties: properties)
      }
    described.use(entity)
    return Self.self
  }
}

final class ShapeA: Shape {
  static let described = DescribedEntity()
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class ShapeB: Shape {
  static let described = DescribedEntity()
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class ShapeC: Shape {
  static let described = DescribedEntity()
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class ShapeD: Shape {
  static let described = DescribedEntity()
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

final class ShapeE: Shape {
  static let described = DescribedEntity()
  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }
}

/// A store whose programs are described by shapes.
final class ShapedStore: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/reprise-\(UUID().uuidString)"

  nonisolated(nonsending) func open(
    _ models: [any PersistentModel.Type], _ plan: [Migration] = []
  ) async throws -> Store {
    try await Store.open(
      path, for: Schema(models), migrations: plan.isEmpty ? nil : MigrationPlan(plan))
  }

  nonisolated(nonsending) func open(_ models: any PersistentModel.Type..., plan: Migration...) async throws -> Store {
    try await open(models, plan)
  }

  /// The files that have a text.
  func holders(of text: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
      var isDirectory: ObjCBool = false
      let file = path + "/" + name
      guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory), !isDirectory.boolValue else {
        return false
      }
      return try Data(contentsOf: URL(fileURLWithPath: file)).range(of: Data(text.utf8)) != nil
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
