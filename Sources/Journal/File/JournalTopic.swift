/// A draft or a scene: the subject of journal entries, claimed by one context or restoration at a time.
package enum JournalTopic: Equatable, Sendable {
  case draft(String)
  case scene(String)

  /// The first 16 bytes of the ID's SHA-256.
  var hash: [UInt8] {
    switch self {
    case .draft(let id), .scene(let id): JournalRow.hash(id)
    }
  }

  func entries(_ index: JournalIndex) -> [JournalIndex.Entry]? {
    switch self {
    case .draft(let id): index.drafts[id]
    case .scene(let id): index.scenes[id]
    }
  }
}
