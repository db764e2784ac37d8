import RepriseObjectModel

/// An object's ID and selected properties, as returned by ``ObjectContext/fetchValues(_:_:)``.
public struct FetchedValues<Model: PersistentModel, Values>: Identifiable {
  /// The object's ID.
  public let id: Model.ID
  /// The properties, as a tuple in the order of the arguments of the call. A single property is not in a tuple.
  public let values: Values

  @inlinable @inline(__always) init(id: Model.ID, values: Values) {
    self.id = id
    self.values = values
  }
}

extension FetchedValues: Sendable where Values: Sendable {}
