/// Everything that was recovered.
package struct JournalImage: Sendable {
  package internal(set) var drafts: [String: DraftImage] = [:]
  /// What is known of drafts that the models at hand cannot read. They are kept, and checkpointed, as they are.
  package internal(set) var unreadable: [String: DraftHeader] = [:]
  /// By scene, the nodes by key.
  package internal(set) var scenes: [String: [String: [UInt8]]] = [:]
  package internal(set) var problems: [JournalProblem] = []
}
