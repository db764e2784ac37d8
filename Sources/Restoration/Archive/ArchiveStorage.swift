import RepriseEventStore

/// What restoration needs of a store: the records of archives, and whether drafts have edits.
@MainActor package protocol ArchiveStorage: AnyObject {
  /// The records of a scene, as the last process left them.
  func contents(of scene: String) throws(StoreError) -> ArchiveContents
  /// Hands changes to the journal in one frame, to be written within its time limit.
  func write(_ changes: [ArchiveChange], scene: String)
  /// Keeps the frame open until ``closeTurn()``, so that one turn's changes stand in one frame.
  func openTurn()
  func closeTurn()
  /// Whether the draft of this ID has edits.
  func hasUncommittedDraft(_ id: String) -> Bool
  /// Claims a scene's archive, and holds `owner`, until ``release(_:for:)``; false if another has it.
  func claim(_ scene: String, for owner: AnyObject) throws(StoreError) -> Bool
  func release(_ scene: String, for owner: AnyObject)
  /// Why nothing is written any more; `nil` while writing works.
  var reasonNotToWrite: StoreError? { get }
}

/// The contents of a scene's archive.
package struct ArchiveContents: Sendable {
  package let records: SceneNodes
  /// Damage that cannot be traced to one record.
  package let damage: [String]

  package init(records: SceneNodes, damage: [String] = []) {
    self.records = records
    self.damage = damage
  }
}

/// A change of one record.
package enum ArchiveChange: Hashable, Sendable {
  case put(key: String, bytes: [UInt8])
  case remove(key: String)
}
