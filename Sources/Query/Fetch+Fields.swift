import RepriseObjectModel

extension Fetch {
  /// Unavailable: a relationship has no order. Sort by an attribute of the other object.
  @available(*, unavailable, message: "a relationship has no order: sort by an attribute, as in '$0.owner.name'")
  public func sorted<Target>(_ key: (Model.Fields) -> ToOneField<Model, Target>) -> Fetch { self }
}

extension ToOneField {
  /// Unavailable: a relationship has no order. Sort by an attribute of the other object.
  @available(*, unavailable, message: "a relationship has no order: sort by an attribute, as in '$0.owner.name'")
  public var ascending: SortKey<Model> { SortKey(term: Term(path), isAscending: true) }

  /// Unavailable: a relationship has no order. Sort by an attribute of the other object.
  @available(*, unavailable, message: "a relationship has no order: sort by an attribute, as in '$0.owner.name'")
  public var descending: SortKey<Model> { SortKey(term: Term(path), isAscending: false) }
}

@available(*, unavailable, message: "a relationship has no order: sort by an attribute, as in '$0.owner.name'")
extension ToOneField: SortKeyConvertible {
  /// Unavailable: a relationship has no order. Sort by an attribute of the other object.
  public var sortKey: SortKey<Model> { SortKey(term: Term(path), isAscending: true) }
}
