/// A reference to a registered object that may need the one who holds it: empty until all is restored, and not owning.
@MainActor public final class BackReference<Object: AnyObject> {
  /// The object, once all is restored; `nil` before, and if there is none or it is gone.
  public internal(set) weak var object: Object?

  init() {}
}
