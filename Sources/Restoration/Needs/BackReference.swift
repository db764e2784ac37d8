/// A weak reference to a registered object that may itself need the holder of this reference.
public final class BackReference<Object: AnyObject> {
  /// The object, or `nil` until everything is restored.
  ///
  /// It stays `nil` if the object could not be restored, and becomes `nil` once the object is deallocated.
  public internal(set) weak var object: Object?

  init() {}
}
