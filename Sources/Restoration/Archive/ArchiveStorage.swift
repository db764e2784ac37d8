import RepriseEventStore

/// What restoration asks of a store: the records of an archive, and what there is of drafts.
@MainActor package protocol ArchiveStorage: AnyObject {
  /// The records of a scene, as the last process left them.
  func contents(of scene: String) throws(StoreError) -> ArchiveContents
  /// Hands changes over to be written within the journal's time limit, in one frame.
  func write(_ changes: [ArchiveChange], scene: String)
  /// Keeps frames from being cut until ``closeTurn()``, so that what one turn changes stands in one frame.
  func openTurn()
  func closeTurn()
  /// Whether there is a draft of this ID with edits in it.
  func hasUncommittedDraft(_ id: String) -> Bool
  /// Takes a scene's archive, and holds `owner`, until ``release(_:for:)``; false if another one has it.
  func claim(_ scene: String, for owner: AnyObject) throws(StoreError) -> Bool
  func release(_ scene: String, for owner: AnyObject)
  /// Why nothing is written any more; `nil` while it is.
  var reasonNotToWrite: StoreError? { get }
}

/// What a scene's archive has.
package struct ArchiveContents: Sendable {
  package let records: SceneNodes
  /// What is damaged so that no record can be named.
  package let damage: [String]

  package init(records: SceneNodes, damage: [String] = []) {
    self.records = records
    self.damage = damage
  }
}

/// One change of an archive.
package enum ArchiveChange: Hashable, Sendable {
  case put(key: String, bytes: [UInt8])
  case remove(key: String)
}
