import RepriseEventStore
import RepriseSystem

/// Why restoration refused a call, which changed nothing.
public enum RestorationError: RepriseError {
  /// Not a restoration ID.
  case invalidID(String, reason: String)
  /// Two owners of one key, kind or path.
  case duplicate(id: String, first: RegistrationSite, second: RegistrationSite)
  /// An ID was taken over in a handover, and its former owner did not leave.
  case unfinishedHandover([String])
  /// Called before ``Restoration/restore(shouldRestore:)`` finished.
  case notRestored(String)
  /// ``Restoration/restore(shouldRestore:)`` was called before.
  case alreadyRestored
  /// ``Restoration/end()`` was called.
  case ended(String)
  /// Another `Restoration` has the scene: in the process with this ID, which may be this one. `nil` if the ID is not
  /// known. In another container the ID is one of that container.
  case sceneInUse(String, process: Int32?)
  /// Registered after restore, and nothing waits for it or names it among its needs.
  case nothingWaits(key: String, RegistrationSite)
  /// The factories of registered objects need each other.
  case cycle([String])
  /// A definition's needs cannot be met.
  case impossibleNeeds(kind: String, reason: String)
  /// A definition's versions or migrations cannot be.
  case impossibleMigrations(kind: String, reason: String)
  /// No kind with this name, state and screen is defined.
  case unknownKind(String)
  /// There is no live node at the path.
  case noSuchNode(NodePath)
  /// Nothing is registered under a key that the node needs.
  case missing(key: String, NodePath)
  /// What is registered under a key that the node needs is not ready yet.
  case notReady(key: String, NodePath)
  /// The node could not be made, for the reason given.
  case notBuilt(NodePath, reason: String)
  /// The node's own context could not be made.
  case draft(NodePath, DraftError)
  /// The node's factory threw.
  case factory(NodePath, any Error)
  /// The screen is in the tree already, at this path.
  case alreadyAdopted(NodePath, RegistrationSite)
  /// The screen is not in the tree.
  case notAdopted
  /// The node cannot be moved there.
  case impossibleMove(NodePath, reason: String)
  /// The store could not be read.
  case store(StoreError)
  /// A state was set on a node that was closed.
  case closed(NodePath)
  /// The preview of a scene cannot be kept.
  case preview(String, reason: String)
  /// A node's state cannot be kept.
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
        + "`sceneConflict` to `.takeOver`, or give this Restoration another scene."
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
      "The node '\(path)' needs '\(key)', which is registered late and not ready. Await settled(), then open it."
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
