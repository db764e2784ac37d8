/// Nothing, in the place of an attribute.
///
/// `@Model` turns attributes into accessors, so that nothing would be left for which the compiler could ask an
/// initialiser to give it a value. One of these for each attribute is what it asks for; it takes no memory.
@frozen
public struct PropertySlot: Sendable {
  /// Nothing.
  @inlinable public init() {}
}
