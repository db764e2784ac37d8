import RepriseObjectModel

extension Fetch {
  /// No order.
  @available(*, unavailable, message: "objects have no order of their own; sort by an attribute, as '$0.owner.name'")
  public func sorted<Target>(_ key: (Model.Fields) -> ToOneField<Model, Target>) -> Fetch { self }
}

extension ToOneField {
  /// No order.
  @available(*, unavailable, message: "objects have no order of their own; sort by an attribute, as '$0.owner.name'")
  public var ascending: SortKey<Model> { SortKey(term: Term(path), isAscending: true) }

  /// No order.
  @available(*, unavailable, message: "objects have no order of their own; sort by an attribute, as '$0.owner.name'")
  public var descending: SortKey<Model> { SortKey(term: Term(path), isAscending: false) }
}

@available(*, unavailable, message: "objects have no order of their own; sort by an attribute, as '$0.owner.name'")
extension ToOneField: SortKeyConvertible {
  /// No order.
  public var sortKey: SortKey<Model> { SortKey(term: Term(path), isAscending: true) }
}
