/// The version of this library.
public enum RepriseVersion {
  /// The version in the form of a release's tag, as in "0.1.0".
  ///
  /// Programs show it in a report about an error. The format of a store has a number of its own, which changes less
  /// often.
  public static var current: String { "0.1.0" }
}
