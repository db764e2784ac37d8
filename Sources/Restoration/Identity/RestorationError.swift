import RepriseEventStore
import RepriseSystem

/// An error that restoration throws or passes to ``Restoration/onProblem``.
///
/// A call that throws leaves the tree and the archive unchanged, unless its documentation says otherwise.
public enum RestorationError: RepriseError {
  /// The text is not a valid restoration ID.
  case invalidID(String, reason: String)
  /// A key, kind or path would have two owners.
  case duplicate(id: String, first: RegistrationSite, second: RegistrationSite)
  /// At the end of a handover, the former owners of these IDs had not left.
  case unfinishedHandover([String])
  /// The call requires that ``Restoration/restore(shouldRestore:)`` has finished.
  case notRestored(String)
  /// ``Restoration/restore(shouldRestore:)`` was called before, or ``Restoration/end()`` was.
  case alreadyRestored
  /// The call came after ``Restoration/end()``, or after another `Restoration` had taken the scene over.
  case ended(String)
  /// Another `Restoration` holds the scene, in the process with this ID.
  ///
  /// The process may be this one. The ID is `nil` if it is not known. In another container, it is the ID within that
  /// container.
  case sceneInUse(String, process: Int32?)
  /// An object was registered after restore, and nothing waits for its key or names the key among its needs.
  case nothingWaits(key: String, RegistrationSite)
  /// The factories of registered objects need each other in a cycle.
  case cycle([String])
  /// The needs of a definition cannot be met.
  case impossibleNeeds(kind: String, reason: String)
  /// The versions or migrations of a definition are invalid.
  case impossibleMigrations(kind: String, reason: String)
  /// No kind with this name, state and screen is defined.
  case unknownKind(String)
  /// The path has no node, or the call needs a live one and that node is not live.
  case noSuchNode(NodePath)
  /// Nothing is registered under a key that the node needs.
  case missing(key: String, NodePath)
  /// The object that the node needs is registered late, and has not arrived.
  case notReady(key: String, NodePath)
  /// The node could not be made, for this reason.
  case notBuilt(NodePath, reason: String)
  /// The node's own context could not be made.
  case draft(NodePath, DraftError)
  /// The node's factory threw this error.
  case factory(NodePath, any Error)
  /// The screen already has a node, at this path.
  case alreadyAdopted(NodePath, RegistrationSite)
  /// The screen has no node.
  case notAdopted
  /// The node cannot be moved there.
  case impossibleMove(NodePath, reason: String)
  /// The store could not be read or written.
  case store(StoreError)
  /// A state was set on a closed node, and is lost.
  case closed(NodePath)
  /// The preview of a scene cannot be kept.
  case preview(String, reason: String)
  /// A state cannot be encoded or decoded.
  ///
  /// For a node or a registered object, the last good state stays in the archive.
  case state(String, reason: String)
}

extension RestorationError: CustomStringConvertible {
  /// What happened, and what to do next.
  public var description: String {
    switch self {
    case .invalidID(let id, let reason): "'\(id)' cannot be a restoration ID: \(reason). Choose another."
    case .duplicate(let id, let first, let second):
      "The restoration ID '\(id)' has two owners: \(first) and \(second). Rename one, or let the first leave before."
    case .unfinishedHandover(let ids):
      "\(ids.map { "'\($0)'" }.joined(separator: ", ")) was taken over, and its former owner did not leave. "
        + "Unregister, close or move the former owner within the handover."
    case .notRestored(let what):
      "\(what) before restore had finished: it could overwrite what is about to be restored. Await restore first."
    case .alreadyRestored:
      "This archive was restored already. Restore once per launch; open nodes with open(_:id:under:)."
    case .ended(let scene): "The restoration of the scene '\(scene)' has ended. Make another one, and restore with it."
    case .sceneInUse(let scene, OwnProcess.id):
      "Another Restoration in this process has the scene '\(scene)'. Use that one, end() it first, or give this one "
        + "another scene."
    case .sceneInUse(let scene, let process):
      "The process \(process.map { "\($0)" } ?? "of another program") has the scene '\(scene)'. Close it there, set "
        + "`sceneConflictPolicy` to `.takeOver`, or give this Restoration another scene."
    case .nothingWaits(let key, let site):
      "'\(key)' was registered at \(site), after restore, and nothing needs it. Register it before restore, or with "
        + "register(late:)."
    case .cycle(let keys):
      "Registered objects need each other: \(keys.joined(separator: " → ")). Make one of the needs a backReference."
    case .impossibleNeeds(let kind, let reason):
      "The needs of '\(kind)' cannot be met: \(reason). Change its definition."
    case .impossibleMigrations(let kind, let reason):
      "The versions of '\(kind)' cannot be: \(reason). Change its definition."
    case .unknownKind(let kind): "No kind '\(kind)' with this state and screen is defined. Define it before restore."
    case .noSuchNode(let path): "There is no live node at '\(path)'. Open it first, or correct the path."
    case .missing(let key, let path):
      "The node '\(path)' needs '\(key)', and nothing is registered under it. Register it before restore."
    case .notReady(let key, let path):
      "The node '\(path)' needs '\(key)', which is late. Call waitUntilSettled(), then open it."
    case .notBuilt(let path, let reason): "The node '\(path)' was not made: \(reason)."
    case .draft(let path, let error): "The own context of the node '\(path)' could not be made. \(error)"
    case .factory(let path, let error): "The factory of the node '\(path)' threw: \(error)"
    case .alreadyAdopted(let path, let site):
      "The screen has the node '\(path)' already, from \(site). Move it with move(_:id:under:), or close it first."
    case .notAdopted: "The screen has no node. Adopt it first."
    case .impossibleMove(let path, let reason): "The node '\(path)' cannot be moved: \(reason). Choose another place."
    case .store(let error): error.description
    case .closed(let path):
      "The node '\(path)' was closed, and takes no state any more: what was set is lost. Set it before it is closed."
    case .preview(let scene, let reason):
      "The preview of the scene '\(scene)' cannot be kept: \(reason). Keep a smaller one, or try again."
    case .state(let owner, let reason):
      "The state of '\(owner)' cannot be kept: \(reason). Its last good state stays. Keep large things in the store, "
        + "and their IDs in the state."
    }
  }
}
