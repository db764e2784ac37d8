import RepriseEventStore
import RepriseObjectModel
import RepriseSystem

/// An error that restoration throws or passes to ``Restoration/onProblem``.
///
/// A call that throws leaves the tree and the archive unchanged, unless its documentation says otherwise.
@nonexhaustive
public enum RestorationError: RepriseError {
  /// The text is not a valid restoration ID.
  ///
  /// Calls that take IDs throw it. Choose another ID.
  case invalidID(String, reason: String)
  /// A key, kind or path would have two owners.
  ///
  /// `register`, `define`, `open`, `adopt` and `move` throw it. Rename one of the owners, or first unregister, close or
  /// move the other one.
  case duplicate(id: String, first: RegistrationSite, second: RegistrationSite)
  /// At the end of a handover, the former owners of these IDs had not left.
  ///
  /// `handOver` throws it. Unregister, close or move the former owners within the handover.
  case unfinishedHandover([String])
  /// The named call requires that ``Restoration/restore(shouldRestore:)`` has finished.
  ///
  /// Calls that read or change the tree throw it. Await restore first.
  case notRestored(String)
  /// ``Restoration/restore(shouldRestore:)`` was called before, or ``Restoration/end()`` was.
  ///
  /// `restore` throws it. Restore once for each launch, and open nodes with `open`.
  case alreadyRestored
  /// The call came after ``Restoration/end()``, or after another `Restoration` had taken the scene over.
  ///
  /// Calls that read or change the tree throw it. Make another `Restoration`, and restore with it.
  case ended(String)
  /// Another `Restoration` holds the scene, in the process with this ID.
  ///
  /// `restore` throws it, and calls that read or remove scenes. The process may be this one. The ID is `nil` if it is
  /// not known. In another container, it is the ID within that container. Close the scene there, set
  /// `sceneConflictPolicy` to `.takeOver`, or use another scene.
  case sceneInUse(String, process: Int32?)
  /// An object was registered after restore, and nothing waits for its key or names the key among its needs.
  ///
  /// `register` throws it. Register the object before restore, or with `register(late:)`.
  case nothingWaits(key: String, RegistrationSite)
  /// The factories of registered objects need each other in a cycle.
  ///
  /// `define(object:)` throws it. Make one of the needs a `backReference`.
  case cycle([String])
  /// The needs or the migrations of a definition contradict each other.
  ///
  /// `define` throws it. Correct the definition.
  case invalidDefinition(kind: String, reason: String)
  /// No kind with this name, state and screen is defined.
  ///
  /// `open` and `adopt` throw it. Define the kind before restore.
  case unknownKind(String)
  /// There is no node at the path, or the call needs a live node and this node is not live.
  ///
  /// Calls that take the path or the parent of a node throw it. Open the node first, or correct the path.
  case noSuchNode(NodePath)
  /// Nothing is registered under a key that the node needs.
  ///
  /// Calls that make a node throw it, and ``RestorationDecoder/object(for:)``. Register the object before restore.
  case missing(key: String, NodePath)
  /// The object that the node needs is registered late, and has not arrived.
  ///
  /// Calls that make a node throw it, and ``RestorationDecoder/object(for:)``. Call `waitUntilSettled()`, then open the
  /// node.
  case notReady(key: String, NodePath)
  /// The node could not be made, for this reason.
  ///
  /// Calls that make a node throw it, such as `open` and `adopt`. Remove the cause, then open the node again.
  case notBuilt(NodePath, reason: String)
  /// The node's own context could not be made.
  ///
  /// Calls that make a node throw it. The ``DraftError`` says how to recover.
  case draft(NodePath, DraftError)
  /// The node's factory threw this error.
  ///
  /// Calls that make a node throw it. Remove the cause, then open the node again.
  case factory(NodePath, any Error)
  /// The screen already has a node, at this path.
  ///
  /// `adopt` throws it. Move the node, or close it first.
  case alreadyAdopted(NodePath, RegistrationSite)
  /// The screen has no node.
  ///
  /// Calls that take a screen throw it. Adopt the screen first.
  case notAdopted
  /// The node cannot be moved there.
  ///
  /// `move` throws it. Choose another place.
  case impossibleMove(NodePath, reason: String)
  /// The store could not be read or written.
  ///
  /// `restore`, `save`, `flush`, calls about scenes, and calls that find a node in the archive throw it.
  /// ``Restoration/onProblem`` gets it, too. The ``StoreError`` says how to recover.
  case store(StoreError)
  /// A state was set on a closed node, and is lost.
  ///
  /// ``Restoration/onProblem`` gets it. Set the state before the node is closed.
  case closed(NodePath)
  /// The preview of a scene cannot be stored.
  ///
  /// The call that stores the preview throws it. Store a smaller preview, or try again.
  case preview(String, reason: String)
  /// A state cannot be encoded or decoded.
  ///
  /// Coding of states throws it, and ``Restoration/onProblem`` gets it. For a node or a registered object, the last
  /// good state stays in the archive. Keep large values in the store, and their IDs in the state.
  case state(String, reason: String)
}

extension RestorationError: CustomStringConvertible {
  /// The failure with its place, its cause, and the next step.
  public var description: String {
    switch self {
    case .invalidID(let id, let reason): "'\(id)' cannot be a restoration ID: \(reason). Choose another ID."
    case .duplicate(let id, let first, let second):
      "The restoration ID '\(id)' has two owners: \(first) and \(second). Rename one owner, or first unregister, close "
        + "or move the other owner."
    case .unfinishedHandover(let ids):
      "`handOver` was undone, because the IDs \(ids.map { "'\($0)'" }.joined(separator: ", ")) still had their former "
        + "owners at its end. Unregister, close or move these owners in the closure of `handOver`."
    case .notRestored(let call):
      "\(call) was called before `restore` had finished, so the screens of the archive are not open yet. Await "
        + "`restore` first."
    case .alreadyRestored:
      "`restore` or `end` was already called on this Restoration. Open further screens with open(_:id:under:). To "
        + "restore again, end this Restoration and make another one."
    case .ended(let scene):
      "This Restoration no longer has the scene '\(scene)', because `end` was called or another Restoration took the "
        + "scene over. Make another Restoration, and restore with it."
    case .sceneInUse(let scene, OwnProcess.id):
      "Another Restoration in this process has the scene '\(scene)'. Use that Restoration, end() it first, or give "
        + "this one another scene."
    case .sceneInUse(let scene, let process):
      "\(process.map { "The process \($0)" } ?? "Another process") has the scene '\(scene)'. Close the scene there, "
        + "or give this Restoration another scene. If that process sets `onTakeover`, you can set "
        + "`sceneConflictPolicy` to `.takeOver` here instead."
    case .nothingWaits(let key, let site):
      "'\(key)' was registered at \(site), after `restore`, and no screen waits for it. If the key is wrong, correct "
        + "it. Otherwise register the object before `restore`. If it is not ready then, call `register(late:)`."
    case .cycle(let keys):
      "Registered objects need each other: \(keys.joined(separator: " → ")). Make one of these needs a backReference."
    case .invalidDefinition(let kind, let reason):
      "'\(kind)' cannot be defined: \(reason). Correct the arguments of `define`."
    case .unknownKind(let kind):
      "No kind '\(kind)' is defined, or its definition has another type of state or screen. Call `define` with this "
        + "kind before `restore`."
    case .noSuchNode(let path): "No open screen has the path '\(path)'. Open the screen first, or correct the path."
    case .missing(let key, let path):
      "The screen '\(path)' needs '\(key)', and nothing is registered under this key. Register the object before "
        + "`restore`."
    case .notReady(let key, let path):
      "The screen '\(path)' needs '\(key)', which is registered late and has not arrived. Call waitUntilSettled(), "
        + "then open the screen."
    case .notBuilt(let path, let reason):
      "The screen '\(path)' was not made: \(reason). Remove the cause, then open the screen again."
    case .draft(let path, let error): "The screen '\(path)' did not get its own context. \(error)"
    case .factory(let path, let error):
      "The factory of the screen '\(path)' threw an error. Remove the cause of the error, then open the screen again. "
        + "The error: \(error)"
    case .alreadyAdopted(let path, let site):
      "The screen is already open at the path '\(path)' (from \(site)). Move it with move(_:id:under:), or close it "
        + "first."
    case .notAdopted: "The Restoration does not know this screen. Pass the screen to `adopt` first."
    case .impossibleMove(let path, let reason):
      "The screen '\(path)' cannot be moved: \(reason). Choose another place, or leave the screen where it is."
    case .store(let error): error.description
    case .closed(let path):
      "The program set the state of the screen '\(path)' after the screen was closed, so this state is lost. Set the "
        + "state before the screen is closed."
    case .preview(let scene, let reason):
      "The preview of the scene '\(scene)' cannot be stored: \(reason). Store a smaller preview, or check the disk "
        + "space and the rights of the store's folder."
    case .state(let owner, let reason):
      "The state of '\(owner)' cannot be encoded or decoded: \(reason). The archive keeps the last good state. Correct "
        + "the code that encodes or decodes this state, or move large values from the state into the store."
    }
  }
}
