import RepriseObjectModel

extension Fetch {
  /// The objects of which a `Bool` attribute is true: `Fetch<Item> { $0.isDone }`.
  public init(_ condition: (Model.Fields) -> Field<Model, Bool>) {
    self.init { fields in condition(fields).isTrue }
  }

  /// The objects of this fetch of which a `Bool` attribute is true as well.
  public func filter(_ condition: (Model.Fields) -> Field<Model, Bool>) -> Fetch {
    filter { fields in condition(fields).isTrue }
  }
}

extension Fetch {
  /// No condition.
  @available(*, unavailable, message: "only a Bool attribute is a condition by itself; compare this one with a value")
  public init<Value>(_ condition: (Model.Fields) -> Field<Model, Value>) { self.init() }

  /// No condition.
  @available(*, unavailable, message: "a relationship is no condition; compare it, as in '$0.owner != nil'")
  public init<Target>(_ condition: (Model.Fields) -> ToOneField<Model, Target>) { self.init() }

  /// No order.
  @available(*, unavailable, message: "objects have no order of their own; sort by an attribute, as '$0.owner.name'")
  public func sorted<Target>(_ key: (Model.Fields) -> ToOneField<Model, Target>) -> Fetch { self }
}
