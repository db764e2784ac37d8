import RepriseEventStore

/// A store with drafts: the store with the archive, or the store of a context that nodes edit.
package protocol DraftStorage: AnyObject, Sendable {
  /// The identity of the store, the same for two storages of one store.
  var identity: ObjectIdentifier { get }
  /// Returns another storage of the same store. The closure does not retain the store, and returns `nil` once it is
  /// released.
  var weakly: @Sendable () -> (any DraftStorage)? { get }
  /// Whether the store has a journal to write to: it is neither closed nor yet to be opened.
  var isWritable: Bool { get }
  /// Returns when the store is open.
  nonisolated(nonsending) func ready() async throws(StoreError)
  /// Whether the draft of this ID has edits.
  func hasUncommittedDraft(_ id: String) -> Bool
  /// All drafts, of every process.
  func listDrafts() throws(StoreError) -> [DraftInfo]
  /// Makes the scenes of an isolation write their changes to the store. The changes are then in one frame with the
  /// edits of this turn so far.
  ///
  /// - Returns: Whether the frame has ended. It does not end while a turn of another isolation is open.
  @discardableResult
  func endFrame(in isolation: (any Actor)?) -> Bool
  /// Ends the frame, even if it cuts turns.
  func cutFrame()
  /// Returns when the journal's file has all changes up to the last ``endFrame()``, and the changes of all turns that
  /// have ended. With `durable`, they are also on the disk. Later changes may wait for the end of their turn.
  nonisolated(nonsending) func flush(durable: Bool) async throws(StoreError)
  /// Writes like ``flush(durable:)``, but blocks the calling thread and does not wait for the disk.
  ///
  /// - Parameter cutsTurns: Whether to write the changes of an open turn, too, because the turn may never end.
  /// - Returns: Whether it succeeded.
  func flushNow(cutsTurns: Bool) -> Bool
  /// Calls `body`, on any thread, when a screen or the edits of any context are next changed.
  func whenChanged(_ body: @escaping @Sendable () -> Void)
  /// Calls the owner, which is not retained, for each failed write until the store is closed.
  func tellFailures(to owner: any SceneOwner)
}

/// The part of a store that restoration needs: the records of archives, and whether drafts have edits.
package protocol ArchiveStorage: DraftStorage {
  /// Returns when archives can be read and written, which may be before the store is open.
  nonisolated(nonsending) func scenesReady() async throws(StoreError)
  /// Whether the store is not open yet. Then it is unknown which drafts have edits.
  var isOpening: Bool { get }
  /// The records of a scene, as the last process left them.
  func contents(of scene: String) throws(StoreError) -> ArchiveContents
  /// Hands changes to the journal in one frame, to be written within its time limit.
  func write(_ changes: [ArchiveChange], scene: String)
  /// Keeps the frame open until ``closeTurn(in:)``, so that one frame has all changes of the turn.
  func openTurn(in isolation: any Actor)
  func closeTurn(in isolation: any Actor)
  /// The file where a claimed scene records its launches.
  func launchFile(of scene: String) -> any LaunchFile
  /// The file for the scene's preview.
  func previewFile(of scene: String) -> any LaunchFile
  /// Claims a scene's archive, and retains `owner` until ``release(_:for:)``. The owner is called for failures. False
  /// if another owner has the scene.
  func claim(_ scene: String, for owner: any SceneOwner) throws(StoreError) -> Bool
  func release(_ scene: String, for owner: any SceneOwner)
  /// Asks the owner of a scene, in this process or another one, to release it. False if there is no owner to ask.
  ///
  /// - Parameter isolation: The isolation of the caller.
  func ask(for scene: String, in isolation: any Actor) -> Bool
  /// Calls `answer`, on any thread, when another process asks for a scene that is claimed here, until it is released.
  func listen(for scene: String, _ answer: @escaping @Sendable () -> Void)
  /// Why nothing is written any more. `nil` while writing works.
  var reasonNotToWrite: StoreError? { get }
}

/// A few bytes that outlive the process as soon as they are written, though not a power cut.
package protocol LaunchFile: AnyObject, Sendable {
  /// The bytes of the last write. `nil` if there are none.
  func read() -> [UInt8]?
  /// Replaces the bytes of the file.
  ///
  /// - Returns: Whether they were written.
  @discardableResult
  func write(_ note: [UInt8]) -> Bool
  /// Removes the file.
  func remove()
  /// Whether the file is ignored, because another user may have written it.
  var isRefused: Bool { get }
}

extension LaunchFile {
  package var isRefused: Bool { false }
}

/// The object that has claimed a scene.
package protocol SceneOwner: AnyObject {
  /// The isolation that uses the object, and that all calls are made in. `nil` if nobody calls it.
  var isolation: (any Actor)? { get }
  /// The name of the scene's archive in the storage.
  var archiveName: String { get }
  /// Appends the states of the scene's screens, as the end of the turn does.
  func writeChanges()
  /// Called after the store was closed without a loss. Not called if the store ends as in a kill.
  func storeWasClosed()
  /// Called if another `Restoration` wants the scene.
  func letGo()
  /// Called when a write has failed, and is retried. Not called again for the same failure until a write succeeds.
  func writingFailed(_ error: StoreError)
}

/// The contents of a scene's archive, or some of them.
package struct ArchiveContents: Sendable {
  package let records: SceneNodes
  /// Damage that cannot be traced to one record.
  package let damage: [String]
  /// Reads the nodes. `nil` if they are among the records.
  package let parts: (any ArchiveParts)?

  package init(records: SceneNodes, damage: [String] = [], parts: (any ArchiveParts)? = nil) {
    self.records = records
    self.damage = damage
    self.parts = parts
  }

  /// All records.
  func all() throws(StoreError) -> SceneNodes { if let parts { try parts.all().records } else { records } }
}

/// Reads nodes as they were when the archive was read.
package protocol ArchiveParts: Sendable {
  func all() throws(StoreError) -> ArchiveContents
  /// The records whose keys have this text up to and including their last slash.
  func group(_ name: String) throws(StoreError) -> ArchiveContents
  /// The record with a key, or none.
  func record(_ key: String) throws(StoreError) -> ArchiveContents
}

/// A change of one record.
package enum ArchiveChange: Equatable, Sendable {
  case put(key: String, bytes: [UInt8])
  case remove(key: String)
}
