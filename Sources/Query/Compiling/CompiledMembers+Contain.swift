import RepriseObjectModel

extension CompiledTerm {
  var isID: Bool { if case .id = end { true } else { false } }
}

extension CompiledMembers {
  /// Whether an object is among the members. Reads only that object, or the link to it.
  func contain(
    _ member: AnyObjectID, _ values: ContiguousArray<PropertyValue>, _ id: AnyObjectID, _ source: some FetchSource
  ) -> Bool {
    if let links {
      guard member.name == target.interned, let end = hops.isEmpty ? id : end(values, id, source) else { return false }
      return source.values(of: links.relationship.link(end.uuid, member.uuid).id) != nil
    }
    guard let owner = owner(of: member, source) else { return false }
    return hops.isEmpty ? owner == id : end(values, id, source) == owner
  }

  /// The object that has `member` as a member. The member stores the inverse to-one.
  private func owner(of member: AnyObjectID, _ source: some FetchSource) -> AnyObjectID? {
    guard member.name == target.interned, let values = source.values(of: member), values.indices.contains(inverseSlot)
    else { return nil }
    return values[inverseSlot].reference
  }
}
