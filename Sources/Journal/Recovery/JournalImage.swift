/// All recovered drafts and scenes.
package struct JournalImage: Sendable {
  package internal(set) var drafts: [String: DraftImage] = [:]
  /// The headers of drafts that this process's models cannot read. These drafts are kept and checkpointed unchanged.
  package internal(set) var unreadable: [String: DraftHeader] = [:]
  /// The nodes by key, by scene.
  package internal(set) var scenes: [String: [String: [UInt8]]] = [:]
  package internal(set) var problems: [JournalProblem] = []
}
