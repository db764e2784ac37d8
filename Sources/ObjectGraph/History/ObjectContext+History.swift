import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// The transactions that changed an object, the latest first, up to this context's position, each with the change to
  /// this object alone; uncommitted changes are not among them. An object that was deleted has a history as well.
  ///
  /// Costs one transaction of the log for each.
  ///
  /// - Parameter limit: The most to return; `nil` is all.
  /// - Throws: ``LookupError/unknownEntity(_:)``; ``StoreError``: the store is closed, or the log is damaged.
  public func history(of id: AnyObjectID, limit: Int? = nil) throws -> [LoggedTransaction] {
    try store.history(of: id, upTo: position, limit: limit)
  }

  /// The transactions that changed an object; otherwise like ``history(of:limit:)-(AnyObjectID,_)``.
  public func history<Model: PersistentModel>(of object: Model, limit: Int? = nil) throws -> [LoggedTransaction] {
    try history(of: object.id.any, limit: limit)
  }

  /// Who changed an attribute of an object, when, from what to what; the latest change first, up to this context's
  /// position. With a limit of 1, who set its present value.
  ///
  /// ```swift
  /// for change in try context.history(of: item, { $0.name }) {
  ///   print(change.transaction.author ?? "somebody", change.old ?? "nothing", "→", change.new ?? "nothing")
  /// }
  /// ```
  ///
  /// Costs one transaction of the log for each change of the object, up to the last one returned.
  ///
  /// - Parameters:
  ///   - field: An attribute of the model itself.
  ///   - limit: The most to return; `nil` is all.
  /// - Throws: ``FetchError/notAnAttribute(term:entity:property:)`` for a field behind a relationship, or a computed
  ///   one; ``StoreError``: the store is closed, or the log is damaged.
  public func history<Model: PersistentModel, Value: AttributeValue>(
    of object: Model, _ field: (Model.Fields) -> Field<Model, Value>, limit: Int? = nil
  ) throws -> [ValueChange<Value>] {
    let term = field(Model.Fields(.root)).term
    guard term.path.count == 1, !term.isComputed, let name = term.path.first else {
      throw FetchError.notAnAttribute(
        term: term.description, entity: Model.entity.name, property: term.path.first ?? term.description)
    }
    return try changes(of: name, of: object, limit) { $0.isNull ? nil : Value.from($0) }
  }

  /// The same of a to-one. Where the other end stores it, it costs the log up to the last change returned, as
  /// ``history(of:_:after:upTo:limit:)`` does.
  ///
  /// - Throws: ``FetchError/notAnAttribute(term:entity:property:)`` for a relationship of another object; otherwise as
  ///   of an attribute.
  public func history<Model: PersistentModel, Target: PersistentModel>(
    of object: Model, _ relationship: (Model.Fields) -> ToOneField<Model, Target>, limit: Int? = nil
  ) throws -> [ValueChange<Target.ID>] {
    let path = relationship(Model.Fields(.root)).path
    guard path.names.count == 1, let name = path.names.first else {
      throw FetchError.notAnAttribute(
        term: Term(path.names).description, entity: Model.entity.name, property: path.names.first ?? "")
    }
    if let other: Fetch<Target> = membership(of: object, name) { return try changes(ofOnly: other, limit) }
    return try changes(of: name, of: object, limit) { value in
      if case .reference(let id) = value { Target.ID(id) } else { nil }
    }
  }

  private func changes<Model: PersistentModel, Value>(
    of name: String, of object: Model, _ limit: Int?, _ value: (PropertyValue) -> Value?
  ) throws -> [ValueChange<Value>] {
    if limit ?? 1 <= 0 { return [] }
    let logged = loggedName(name, of: Model.self)
    var found: [ValueChange<Value>] = []
    try store.forEachTransaction(of: object.id.any, property: name, upTo: position) { transaction in
      // What was erased is no value, and does not count.
      guard case .value(let old, let new) = transaction.changes.first?[logged] else { return true }
      found.append(ValueChange(transaction: transaction, old: value(old), new: value(new)))
      return found.count < limit ?? .max
    }
    return found
  }

  /// The name under which transactions tell of a property.
  private func loggedName<Model: PersistentModel>(_ name: String, of model: Model.Type) -> String {
    store.map.map(Model.entity.interned).map { store.name(inLog: name, of: $0) } ?? name
  }

  /// Who gave each property of an object its present value: the last transaction that changed it, with its author and
  /// time, up to this context's position; uncommitted changes are not among them. Like `git blame`, for properties.
  ///
  /// ```swift
  /// print(try context.blame(for: item)["name"]?.author ?? "somebody")
  /// ```
  ///
  /// Has attributes, and to-ones that the object stores, by the names that the model gives them; none that never had a
  /// value. Costs one transaction of the log for each change of the object, up to the one that tells of the last
  /// property.
  ///
  /// - Throws: ``StoreError``: the store is closed, or the log is damaged.
  public func blame<Model: PersistentModel>(for object: Model) throws -> [String: LoggedTransaction] {
    let schema = store.map.schema
    var missing = Model.entity.properties.enumerated().filter { slot, property in
      !property.isIndex && schema.relationship(slot, of: Model.entity)?.stores ?? true
    }.map { _, property in (name: property.name, logged: loggedName(property.name, of: Model.self)) }
    var found: [String: LoggedTransaction] = [:]
    try store.forEachTransaction(of: object.id.any, upTo: position) { transaction in
      guard let change = transaction.changes.first else { return true }
      missing.removeAll { name, logged in
        if change[logged] == nil { return false }
        found[name] = transaction
        return true
      }
      return !missing.isEmpty
    }
    return found
  }
}

/// A change of one attribute in the past, or of a to-one.
public struct ValueChange<Value: Sendable>: Sendable {
  /// The transaction, with its author and time.
  public let transaction: LoggedTransaction
  /// The value before; `nil` if there was none, or if what is stored is no value of the type.
  public let old: Value?
  /// The value after; `nil` likewise.
  public let new: Value?
}

extension ValueChange: Equatable where Value: Equatable {}
extension ValueChange: Hashable where Value: Hashable {}
