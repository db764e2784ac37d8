/// A draft or a scene: the subject of journal entries, claimed by one context or restoration at a time.
///
/// A class, so that all who use one topic share its hash.
package final class JournalTopic: Sendable {
  let isDraft: Bool
  package let name: String
  /// The first 16 bytes of the name's SHA-256.
  package let hash: [UInt8]

  private init(isDraft: Bool, _ name: String) {
    self.isDraft = isDraft
    self.name = name
    hash = JournalRow.hash(name)
  }

  package static func draft(_ id: String) -> JournalTopic { JournalTopic(isDraft: true, id) }
  package static func scene(_ name: String) -> JournalTopic { JournalTopic(isDraft: false, name) }

  func entries(_ index: JournalIndex) -> [JournalIndex.Entry]? { isDraft ? index.drafts[name] : index.scenes[name] }
}

extension JournalTopic: Equatable {
  package static func == (left: JournalTopic, right: JournalTopic) -> Bool {
    left === right || left.isDraft == right.isDraft && left.name == right.name
  }
}
