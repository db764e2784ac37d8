import RepriseObjectModel

extension EditingContext {
  package var liveChildren: [ChildContext] { children.compactMap { $0.object as? ChildContext } }

  /// The live child with a draft. O(1).
  package func liveChild(withDraft id: String) -> ChildContext? {
    childrenByDraft.place(Self.hash(id)) { child($0)?.draftID == id }.flatMap { child($0) }
  }

  func attach(_ child: ChildContext) {
    if children.append(child, limit: &childLimit) {
      childrenByDraft = HashIndex()
      for place in children.indices.dropLast() { enter(place) }
    }
    enter(children.count - 1)
  }

  private func child(_ place: Int) -> ChildContext? { children[place].object as? ChildContext }

  private func enter(_ place: Int) {
    if let id = child(place)?.draftID { childrenByDraft.insert(Self.hash(id), place) }
  }

  private static func hash(_ id: String) -> UInt64 { UInt64(bitPattern: Int64(id.hashValue)) }
}
