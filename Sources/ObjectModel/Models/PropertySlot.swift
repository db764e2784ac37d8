/// Stands in for an attribute, and takes no memory.
///
/// `@Model` turns attributes into accessors, which leaves no stored property that the compiler would require an
/// initialiser to set. It requires one of these for each attribute instead.
@frozen
public struct PropertySlot: Sendable {
  /// An empty value.
  @inlinable public init() {}
}
