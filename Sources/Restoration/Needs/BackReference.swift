/// A weak reference to a registered object, which may itself need whoever holds this: empty until all is restored.
@MainActor public final class BackReference<Object: AnyObject> {
  /// The object, once all is restored; `nil` before, and if there is none or it is gone.
  public internal(set) weak var object: Object?

  init() {}
}
