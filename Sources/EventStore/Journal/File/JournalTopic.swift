/// What entries of a journal are about, and what one context or restoration has at a time.
package enum JournalTopic: Hashable, Sendable {
  case draft(String)
  case scene(String)

  /// The first 16 bytes of the SHA-256 of its ID.
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
