import RepriseObjectModel

extension CompiledTerm {
  /// The slot whose index has the objects in the order of this term. `nil` if none has.
  ///
  /// - Parameter unready: The slots of indexes that are being built.
  func ownIndex(of entity: Entity, besides unready: [Int]) -> Int? {
    ownAttribute.flatMap { entity.index(over: $0, collation, besides: unready) }
  }
}

extension Entity {
  /// The slot whose index is over this attribute alone, in this order. `nil` if there is none.
  ///
  /// - Parameter unready: The slots of indexes that are being built.
  func index(over attribute: Int, _ collation: Collation, besides unready: [Int]) -> Int? {
    if collation == .binary, properties[attribute].attribute?.isIndexed ?? false, !unready.contains(attribute) {
      return attribute
    }
    return indexes.first {
      $0.columns == [attribute] && $0.kind == .columns([collation]) && !unready.contains($0.slot)
    }?.slot
  }
}
