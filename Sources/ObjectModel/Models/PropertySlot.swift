/// A placeholder for an attribute.
///
/// It takes no memory. `@Model` turns attributes into accessors, so the class has no stored property that an
/// initialiser must set. It adds one of these for each attribute, so that the compiler still requires it.
@frozen
public struct PropertySlot: Sendable {
  /// Makes a placeholder.
  @inlinable public init() {}
}
