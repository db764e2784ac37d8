#if Macros
import RepriseCore

/// Applies the history's operations to the objects of one model.
@MainActor final class EntityLoader<Model: HistoryModel> {
  private let context: RootContext
  private let attributes = AttributeTable<Model>()
  /// The existing objects, by key.
  private(set) var objects: [String: Model] = [:]
  private var inserted: [(Model) -> Void] = []
  private var willDelete: [(Model) -> Void] = []

  init(_ context: RootContext) { self.context = context }

  /// Sets the callbacks for after an insertion and before a deletion.
  func watch(inserted: ((Model) -> Void)? = nil, willDelete: ((Model) -> Void)? = nil) {
    if let inserted { self.inserted.append(inserted) }
    if let willDelete { self.willDelete.append(willDelete) }
  }

  private var name: String { "\(Model.self)" }

  private func set(_ attribute: String, of object: Model, to value: JSON?) throws(DemoError) {
    guard attributes.set(attribute, of: object, to: value) else {
      throw .data(
        "The history sets '\(attribute)' of \(name) \(object.key) to \(value.map { "\($0)" } ?? "nil"). The model has "
          + "no such attribute, or it has another type.")
    }
  }

  private func object(_ key: String) throws(DemoError) -> Model {
    guard let object = objects[key] else { throw .data("The history changes \(name) \(key), which does not exist.") }
    return object
  }
}

/// A loader of any model.
@MainActor protocol EntityLoading {
  func insert(_ key: String, _ values: [(key: String, value: JSON)]) throws(DemoError)
  func update(_ key: String, _ values: [(key: String, value: JSON)], unset: [String]) throws(DemoError)
  func delete(_ key: String) throws(DemoError)
  /// The existing object with a key.
  func id(of key: String) -> AnyObjectID?
}

extension EntityLoader: EntityLoading {
  func insert(_ key: String, _ values: [(key: String, value: JSON)]) throws(DemoError) {
    guard objects[key] == nil else { throw .data("The history inserts \(name) \(key) twice.") }
    let object = Model(key: key)
    for (attribute, value) in values { try set(attribute, of: object, to: value) }
    context.insert(object)
    objects[key] = object
    for body in inserted { body(object) }
  }

  func update(_ key: String, _ values: [(key: String, value: JSON)], unset: [String]) throws(DemoError) {
    let object = try object(key)
    for (attribute, value) in values { try set(attribute, of: object, to: value) }
    for attribute in unset { try set(attribute, of: object, to: nil) }
  }

  func delete(_ key: String) throws(DemoError) {
    let object = try object(key)
    for body in willDelete { body(object) }
    objects[key] = nil
    context.delete(object)
  }

  func id(of key: String) -> AnyObjectID? { objects[key]?.id.any }
}
#endif
