/// Functions that let the compiler check the inverses that models name. The functions are only compiled, never called.
public enum _Inverse {
  /// Accepts an inverse that is a to-one relationship.
  public static func leads<Target, Model>(_: KeyPath<Target, Model?>, from: Target.Type, to: Model.Type) {}

  /// Accepts an inverse that is a to-many relationship.
  public static func leads<Target, Model>(_: KeyPath<Target, ToMany<Model>>, from: Target.Type, to: Model.Type) {}

  /// Accepts an inverse that is an ordered to-many relationship.
  public static func leads<Target, Model>(
    _: KeyPath<Target, OrderedToMany<Model>>, from: Target.Type, to: Model.Type
  ) {}

  /// Unavailable: rejects a property that does not refer back to the model.
  @available(
    *, unavailable,
    message: "the inverse does not hold this model: name a property that is an optional or a to-many of this model"
  )
  public static func leads<Root, Value, Target, Model>(
    _: KeyPath<Root, Value>, from: Target.Type, to: Model.Type
  ) {}
}
