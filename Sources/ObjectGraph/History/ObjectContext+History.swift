import RepriseEventStore
import RepriseObjectModel
import RepriseQuery

extension ObjectContext {
  /// Returns the transactions that changed an object, latest first, up to this context's position.
  ///
  /// Each transaction contains only its change to this object. Uncommitted changes are excluded. A deleted object has a
  /// history too. Reads one transaction of the log for each one returned.
  ///
  /// - Parameters:
  ///   - id: The object's ID.
  ///   - limit: The largest number of transactions to return; `nil` is all.
  /// - Throws: ``LookupError/unknownEntity(_:)``. ``StoreError`` if the store is closed or the log is damaged.
  public func history(of id: AnyObjectID, limit: Int? = nil) throws -> [LoggedTransaction] {
    try store.log.history(of: id, upTo: position, limit: limit)
  }

  /// Returns the transactions that changed an object; otherwise like ``history(of:limit:)-(AnyObjectID,_)``.
  public func history<Model: PersistentModel>(of object: Model, limit: Int? = nil) throws -> [LoggedTransaction] {
    try history(of: object.id.any, limit: limit)
  }

  /// Returns the changes of one attribute of an object: who changed it, when, and the old and new values.
  ///
  /// The latest change is first, up to this context's position. For example, with a limit of 1 it returns the author of
  /// the current value.
  ///
  /// ```swift
  /// for change in try context.history(of: item, { $0.name }) {
  ///   print(change.transaction.author ?? "somebody", change.old ?? "nothing", "→", change.new ?? "nothing")
  /// }
  /// ```
  ///
  /// Reads one transaction of the log for each change of the object, down to the last one returned.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - field: An attribute of the model itself.
  ///   - limit: The largest number of changes to return; `nil` is all.
  /// - Throws: ``FetchError/notAnAttribute(term:entity:property:)`` for a field behind a relationship or a computed
  ///   field. ``StoreError`` if the store is closed or the log is damaged.
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

  /// Returns the changes of a to-one relationship of an object. Otherwise, it works like the history of an attribute.
  ///
  /// If the other end stores the relationship, it reads the log down to the last change returned. The cost is then the
  /// same as for ``history(of:_:after:upTo:limit:)-(_,_,Position,_,_)``.
  ///
  /// - Throws: ``FetchError/notAnAttribute(term:entity:property:)`` if the relationship belongs to another object, as
  ///   `$0.owner.team` does. ``StoreError`` if the store is closed or the log is damaged.
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
    try store.log.forEachTransaction(of: object.id.any, property: name, upTo: position) { transaction in
      // A change whose values were erased is not listed.
      guard case .value(let old, let new) = transaction.changes.first?[logged] else { return true }
      found.append(ValueChange(transaction: transaction, old: value(old), new: value(new)))
      return found.count < limit ?? .max
    }
    return found
  }

  /// The name of a property in transactions.
  private func loggedName<Model: PersistentModel>(_ name: String, of model: Model.Type) -> String {
    store.map.map(Model.entity.interned).map { store.log.name(inLog: name, of: $0) } ?? name
  }

  /// Returns the last transaction that changed each property of an object, like `git blame`.
  ///
  /// Each transaction has its author and time. The result covers the log up to this context's position and excludes
  /// uncommitted changes.
  ///
  /// ```swift
  /// print(try context.blame(for: item)["name"]?.author ?? "somebody")
  /// ```
  ///
  /// The keys are the model's names of attributes, and of to-one relationships that the object stores. Properties that
  /// never had a value are missing. Reads one transaction of the log for each change of the object, until each property
  /// has its transaction.
  ///
  /// - Throws: ``StoreError`` if the store is closed or the log is damaged.
  public func blame<Model: PersistentModel>(for object: Model) throws -> [String: LoggedTransaction] {
    let schema = store.map.schema
    var missing = Model.entity.properties.enumerated().filter { slot, property in
      !property.isIndex && schema.relationship(slot, of: Model.entity)?.stores ?? true
    }.map { _, property in (name: property.name, logged: loggedName(property.name, of: Model.self)) }
    var found: [String: LoggedTransaction] = [:]
    try store.log.forEachTransaction(of: object.id.any, upTo: position) { transaction in
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

/// A past change of one attribute or to-one relationship.
public struct ValueChange<Value: Sendable>: Sendable {
  /// The transaction, with its author and time.
  public let transaction: LoggedTransaction
  /// The value before; `nil` if there was none, or if the stored value is not valid for the type.
  public let old: Value?
  /// The value after; `nil` if there is none, or if the stored value is not valid for the type.
  public let new: Value?
}

extension ValueChange: Equatable where Value: Equatable {}
