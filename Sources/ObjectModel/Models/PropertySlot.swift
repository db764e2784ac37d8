/// A placeholder for an attribute.
///
/// A slot takes no memory. `@Model` turns attributes into accessors, so the class has no stored property that an
/// initialiser must set. `@Model` adds a slot for each attribute, so that the compiler still requires an initial value.
@frozen
public struct PropertySlot: Sendable {
  /// Makes a placeholder.
  @inlinable public init() {}
}
