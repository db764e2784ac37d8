/// Where the compiler checks the inverses that models name. Called by nothing: what `@Model` writes is only compiled.
public enum _Inverse {
  /// An inverse that leads back to one object.
  public static func leads<Target, Model>(_: KeyPath<Target, Model?>, from: Target.Type, to: Model.Type) {}

  /// An inverse that leads back to many.
  public static func leads<Target, Model>(_: KeyPath<Target, ToMany<Model>>, from: Target.Type, to: Model.Type) {}

  /// An inverse that leads back to many, in an order.
  public static func leads<Target, Model>(
    _: KeyPath<Target, OrderedToMany<Model>>, from: Target.Type, to: Model.Type
  ) {}

  /// No inverse.
  @available(
    *, unavailable,
    message: "the inverse leads elsewhere: name a property that holds this model, as an optional or a to-many"
  )
  public static func leads<Root, Value, Target, Model>(
    _: KeyPath<Root, Value>, from: Target.Type, to: Model.Type
  ) {}
}
