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
    let versions = try store.history(of: object.id.any, property: name, upTo: position, limit: limit)
    let logged = store.map.map(Model.entity.interned).map { store.name(inLog: name, of: $0) } ?? name
    return versions.compactMap { transaction in
      guard case .value(let old, let new) = transaction.changes.first?[logged] else { return nil }
      return ValueChange(
        transaction: transaction, old: old.isNull ? nil : Value.from(old), new: new.isNull ? nil : Value.from(new))
    }
  }
}

/// A change of one attribute in the past.
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
