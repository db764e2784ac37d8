import Foundation
import Reprise
import XCTest

final class RestorationErrorTextTests: ErrorTextTestCase {
  private let site = RegistrationSite("Main.swift", 12)

  func testRestorationErrors() throws {
    checkScenes()
    checkDefinitions()
    try checkNodes()
    try assertEveryCaseWasChecked(of: "RestorationError")
  }

  func testIDsThatCannotBeInAPath() {
    let long = String(repeating: "a", count: 4_001)
    for (id, shown, reason) in [
      (" ", " ", "it is empty or blank"), ("a/b", "a/b", "a slash separates the IDs of a path"),
      ("\u{301}a", "\u{301}a", "its first mark would combine with the slash before it"),
      (long, String(repeating: "a", count: 40) + "…", "a path has at most 4000 bytes"),
    ] {
      XCTAssertThrowsError(try NodePath([id])) { error in
        XCTAssertEqual("\(error)", "'\(shown)' cannot be a restoration ID: \(reason). Choose another ID.")
      }
    }
  }

  private func checkScenes() {
    check(
      RestorationError.notRestored("save()"),
      "save() was called before restore had finished. This could overwrite restored screens. Await restore first.")
    check(
      RestorationError.alreadyRestored,
      "This archive was restored already. Restore once per launch, and open nodes with open(_:id:under:).",
      named: "alreadyRestored")
    check(
      RestorationError.ended("main"),
      "The restoration of the scene 'main' has ended. Make another one, and restore with it.")
    check(
      RestorationError.sceneInUse("main", process: getpid()),
      """
      Another Restoration in this process has the scene 'main'. Use that one, end() it first, or give this one \
      another scene.
      """)
    check(
      RestorationError.sceneInUse("main", process: 1),
      """
      The process 1 has the scene 'main'. Close it there, set `sceneConflictPolicy` to `.takeOver`, or give this \
      Restoration another scene.
      """)
    check(
      RestorationError.sceneInUse("main", process: nil),
      """
      Another process has the scene 'main'. Close it there, set `sceneConflictPolicy` to `.takeOver`, or give this \
      Restoration another scene.
      """)
    check(RestorationError.store(.closed(path: path)), "The store /data/notes.reprise was closed. Open it again.")
    check(
      RestorationError.preview("main", reason: "its file could not be written"),
      """
      The preview of the scene 'main' cannot be kept: its file could not be written. Keep a smaller one, or try \
      again.
      """)
    check(
      RestorationError.state("note", reason: "the state takes too many bytes"),
      """
      The state of 'note' cannot be kept: the state takes too many bytes. Its last good state stays. Keep large \
      values in the store, and their IDs in the state.
      """)
  }

  private func checkDefinitions() {
    check(
      RestorationError.invalidID("", reason: "it is empty or blank"),
      "'' cannot be a restoration ID: it is empty or blank. Choose another ID.")
    check(
      RestorationError.duplicate(id: "a", first: site, second: site),
      """
      The restoration ID 'a' has two owners: Main.swift:12 and Main.swift:12. Rename one of them, or first \
      unregister, close or move the other one.
      """)
    check(
      RestorationError.unfinishedHandover(["a", "b"]),
      """
      The former owners of 'a', 'b' did not leave during the handover. Unregister, close or move them within the \
      handover.
      """)
    check(
      RestorationError.nothingWaits(key: "a", site),
      """
      'a' was registered at Main.swift:12, after restore, and nothing needs it. Register it before restore, or with \
      register(late:).
      """)
    check(
      RestorationError.cycle(["a", "b", "a"]),
      "Registered objects need each other: a → b → a. Make one of the needs a backReference.")
    check(
      RestorationError.invalidDefinition(
        kind: "note", reason: "it needs several own contexts, and a node can have one"),
      "'note' cannot be defined: it needs several own contexts, and a node can have one. Correct the definition.")
    check(
      RestorationError.unknownKind("note"),
      "No kind 'note' with this state and screen is defined. Define it before restore.")
  }

  private func checkNodes() throws {
    let node = try NodePath(["main", "note"])
    check(
      RestorationError.noSuchNode(node),
      "There is no live node at 'main/note'. Open it first, or correct the path.")
    check(
      RestorationError.missing(key: "a", node),
      """
      The node 'main/note' needs 'a', and nothing is registered under this key. Register it before restore.
      """)
    check(
      RestorationError.notReady(key: "a", node),
      """
      The node 'main/note' needs 'a', which is registered late and has not arrived. Call waitUntilSettled(), then \
      open the node.
      """)
    check(
      RestorationError.notBuilt(node, reason: "its document is gone"),
      "The node 'main/note' was not made: its document is gone. Remove the cause, then open the node again.")
    check(
      RestorationError.draft(node, .inUse("editor")),
      """
      The own context of the node 'main/note' could not be made. The draft 'editor' is in use by a live context. End \
      that context, or choose another ID.
      """)
    check(
      RestorationError.factory(node, StoreError.closed(path: path)),
      """
      The factory of the node 'main/note' threw an error. Remove its cause, then open the node again. The error: The \
      store /data/notes.reprise was closed. Open it again.
      """)
    check(
      RestorationError.alreadyAdopted(node, site),
      """
      The screen already has the node 'main/note', from Main.swift:12. Move it with move(_:id:under:), or close it \
      first.
      """)
    check(RestorationError.notAdopted, "The screen has no node. Adopt it first.", named: "notAdopted")
    check(
      RestorationError.impossibleMove(node, reason: "it would be below itself"),
      "The node 'main/note' cannot be moved: it would be below itself. Choose another place, or leave it where it "
        + "is.")
    check(
      RestorationError.closed(node),
      """
      The node 'main/note' was closed and takes no state, so the state that was set is lost. Set it before the node \
      is closed.
      """)
  }
}
