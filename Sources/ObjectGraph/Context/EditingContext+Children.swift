import RepriseObjectModel

extension EditingContext {
  package var liveChildren: [ChildContext] { children.compactMap(\.context) }

  /// The live child with a draft. O(1).
  package func liveChild(withDraft id: String) -> ChildContext? {
    childrenByDraft.place(Self.hash(id)) { children[$0].context?.draftID == id }.flatMap { children[$0].context }
  }

  func attach(_ child: ChildContext) {
    if children.count >= fullChildren {
      children.removeAll { $0.context == nil }
      fullChildren = max(8, children.count * 2)
      childrenByDraft = HashIndex()
      for place in children.indices { enter(place) }
    }
    children.append(WeakChild(child))
    enter(children.count - 1)
  }

  private func enter(_ place: Int) {
    if let id = children[place].context?.draftID { childrenByDraft.insert(Self.hash(id), place) }
  }

  private static func hash(_ id: String) -> UInt64 { UInt64(bitPattern: Int64(id.hashValue)) }
}
