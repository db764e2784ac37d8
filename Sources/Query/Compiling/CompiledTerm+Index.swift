import RepriseObjectModel

extension CompiledTerm {
  /// The slot whose index has the objects in the order of this term; `nil` if none has.
  func ownIndex(of entity: Entity) -> Int? { ownAttribute.flatMap { entity.index(over: $0, collation) } }
}

extension Entity {
  /// The slot whose index is over this attribute alone, in this order; `nil` if there is none.
  func index(over attribute: Int, _ collation: Collation) -> Int? {
    if collation == .binary, properties[attribute].attribute?.isIndexed ?? false { return attribute }
    return indexes.first { $0.columns == [attribute] && $0.kind == .columns([collation]) }?.slot
  }
}
