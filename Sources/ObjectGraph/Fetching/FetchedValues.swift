import RepriseObjectModel

/// An object's ID and some of its properties, as ``ObjectContext/fetchValues(_:_:)`` returns them.
public struct FetchedValues<Model: PersistentModel, Values>: Identifiable {
  /// The object's ID.
  public let id: Model.ID
  /// The properties, as a tuple in the order in which they were named; of a single one, its value.
  public let values: Values

  @inlinable init(id: Model.ID, values: Values) {
    self.id = id
    self.values = values
  }
}

extension FetchedValues: Sendable where Values: Sendable {}
