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
      (" ", " ", "it is empty or blank"), ("a/b", "a/b", "a slash separates the IDs in a path"),
      ("\u{301}a", "\u{301}a", "it begins with a combining mark, which would change the slash before it in a path"),
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
      "save() was called before `restore` had finished, so the screens of the archive are not open yet. Await "
        + "`restore` first.")
    check(
      RestorationError.alreadyRestored,
      """
      `restore` or `end` was already called on this Restoration. Open further screens with open(_:id:under:). To \
      restore again, end this Restoration and make another one.
      """,
      named: "alreadyRestored")
    check(
      RestorationError.ended("main"),
      """
      This Restoration no longer has the scene 'main', because `end` was called or another Restoration took the scene \
      over. Make another Restoration, and restore with it.
      """)
    check(
      RestorationError.sceneInUse("main", process: getpid()),
      """
      Another Restoration in this process has the scene 'main'. Use that Restoration, end() it first, or give this one \
      another scene.
      """)
    check(
      RestorationError.sceneInUse("main", process: 1),
      """
      The process 1 has the scene 'main'. Close the scene there, or give this Restoration another scene. If that \
      process sets `onTakeover`, you can set `sceneConflictPolicy` to `.takeOver` here instead.
      """)
    check(
      RestorationError.sceneInUse("main", process: nil),
      """
      Another process has the scene 'main'. Close the scene there, or give this Restoration another scene. If that \
      process sets `onTakeover`, you can set `sceneConflictPolicy` to `.takeOver` here instead.
      """)
    check(RestorationError.store(.closed(path: path)), "The store /data/notes.reprise was closed. Open it again.")
    check(
      RestorationError.preview("main", reason: "the file of the preview could not be written"),
      """
      The preview of the scene 'main' cannot be stored: the file of the preview could not be written. Store a smaller \
      preview, or check the disk space and the rights of the store's folder.
      """)
    check(
      RestorationError.state("note", reason: "the state takes too many bytes"),
      """
      The state of 'note' cannot be encoded or decoded: the state takes too many bytes. The archive keeps the last \
      good state. Correct the code that encodes or decodes this state, or move large values from the state into the \
      store.
      """)
  }

  private func checkDefinitions() {
    check(
      RestorationError.invalidID("", reason: "it is empty or blank"),
      "'' cannot be a restoration ID: it is empty or blank. Choose another ID.")
    check(
      RestorationError.duplicate(id: "a", first: site, second: site),
      """
      The restoration ID 'a' has two owners: Main.swift:12 and Main.swift:12. Rename one owner, or first unregister, \
      close or move the other owner.
      """)
    check(
      RestorationError.unfinishedHandover(["a", "b"]),
      """
      `handOver` was undone, because the IDs 'a', 'b' still had their former owners at its end. Unregister, close or \
      move these owners in the closure of `handOver`.
      """)
    check(
      RestorationError.nothingWaits(key: "a", site),
      """
      'a' was registered at Main.swift:12, after `restore`, and no screen waits for it. If the key is wrong, correct \
      it. Otherwise register the object before `restore`. If it is not ready then, call `register(late:)`.
      """)
    check(
      RestorationError.cycle(["a", "b", "a"]),
      "Registered objects need each other: a → b → a. Make one of these needs a backReference.")
    check(
      RestorationError.invalidDefinition(
        kind: "note", reason: "its `needs` have several own contexts, but a screen can have only one"),
      """
      'note' cannot be defined: its `needs` have several own contexts, but a screen can have only one. Correct the \
      arguments of `define`.
      """)
    check(
      RestorationError.unknownKind("note"),
      """
      No kind 'note' is defined, or its definition has another type of state or screen. Call `define` with this kind \
      before `restore`.
      """)
  }

  private func checkNodes() throws {
    let node = try NodePath(["main", "note"])
    check(
      RestorationError.noSuchNode(node),
      "No open screen has the path 'main/note'. Open the screen first, or correct the path.")
    check(
      RestorationError.missing(key: "a", node),
      """
      The screen 'main/note' needs 'a', and nothing is registered under this key. Register the object before `restore`.
      """)
    check(
      RestorationError.notReady(key: "a", node),
      """
      The screen 'main/note' needs 'a', which is registered late and has not arrived. Call waitUntilSettled(), then \
      open the screen.
      """)
    check(
      RestorationError.notBuilt(node, reason: "its document is gone"),
      "The screen 'main/note' was not made: its document is gone. Remove the cause, then open the screen again.")
    check(
      RestorationError.draft(node, .inUse("editor")),
      """
      The screen 'main/note' did not get its own context. The draft 'editor' is in use by another context, in this \
      process or another one. End that context, or choose another ID for this draft.
      """)
    check(
      RestorationError.factory(node, StoreError.closed(path: path)),
      """
      The factory of the screen 'main/note' threw an error. Remove the cause of the error, then open the screen again. \
      The error: The store /data/notes.reprise was closed. Open it again.
      """)
    check(
      RestorationError.alreadyAdopted(node, site),
      """
      The screen is already open at the path 'main/note' (from Main.swift:12). Move it with move(_:id:under:), or \
      close it first.
      """)
    check(
      RestorationError.notAdopted, "The Restoration does not know this screen. Pass the screen to `adopt` first.",
      named: "notAdopted")
    check(
      RestorationError.impossibleMove(node, reason: "it would be below itself"),
      "The screen 'main/note' cannot be moved: it would be below itself. Choose another place, or leave the screen "
        + "where it is.")
    check(
      RestorationError.closed(node),
      """
      The program set the state of the screen 'main/note' after the screen was closed, so this state is lost. Set the \
      state before the screen is closed.
      """)
  }
}
