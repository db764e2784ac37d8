import Foundation
import Reprise
import XCTest

@testable import RepriseRestoration

final class RestorationErrorTextTests: ErrorTextTestCase {
  private let site = RegistrationSite("Main.swift", 12)

  func testRestorationErrors() throws {
    checkScenes()
    checkDefinitions()
    try checkNodes()
    try assertEveryCaseWasChecked(of: "RestorationError")
  }

  private func checkScenes() {
    check(
      RestorationError.notRestored("A node was opened"),
      """
      A node was opened before restore had finished, which could overwrite what restore brings back. Await restore \
      first.
      """)
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
      The restoration ID 'a' has two owners: Main.swift:12 and Main.swift:12. Rename one of them, or let the first \
      one leave before.
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
      RestorationError.invalidDefinition(kind: "note", reason: "a node has one context of its own at most"),
      "'note' cannot be defined: a node has one context of its own at most. Correct the definition.")
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
      "The node 'main/note' cannot be moved: it would be below itself. Choose another place.")
    check(
      RestorationError.closed(node),
      """
      The node 'main/note' was closed and takes no state, so the state that was set is lost. Set it before the node \
      is closed.
      """)
  }

  func testRestorationReport() throws {
    let first = try NodePath(["main"])
    let second = try NodePath(["main", "note"])
    let report = RestorationReport(
      start: .restored, archive: nil, lastExit: .crashed,
      entries: [
        .init(path: first, kind: "window", outcome: .restored),
        .init(path: second, kind: "note", outcome: .failed(reason: "its factory threw: no such note")),
      ],
      unread: 2, objects: [.init(key: "player", outcome: .pending(key: "player"))], orphanedDrafts: ["editor"],
      conflictingDrafts: ["comment"], dropped: [first, second], damage: ["A row of the table 'archives' is damaged."])
    check(
      report,
      """
      Restored 1 of 4 nodes.
      2 nodes that nothing visible needs are deferred. They are made on request.
      main/note: failed: its factory threw: no such note
      The states of these nodes are kept. `retry(at:)` tries a node again, and `close(at:)` removes it.
      'player': waits for the late object 'player'
      The draft 'editor' has edits and no restored node. See `recoverableDrafts()`.
      The draft 'comment' is based on edits that are lost. Compare its values before you save it.
      Dropped by a retention policy or a migration of states: main, main/note.
      A row of the table 'archives' is damaged.
      """)
  }

  func testRestorationReportsWithoutNodes() {
    for (start, text) in [
      (.fresh, "There is no archive, so the scene starts fresh."),
      (
        .refused,
        """
        The program refused the archive, so the scene starts fresh. The archive is set aside at the first save. See \
        `Restoration.refusedArchives(of:in:)`.
        """
      ),
      (
        .quarantined,
        """
        The last four launches ended while they restored the archive, so it is set aside. See \
        `Restoration.refusedArchives(of:in:)` for the archive, and `recoverableDrafts()` for its edits.
        """
      ),
    ] as [(RestorationReport.Start, String)] {
      let report = RestorationReport(
        start: start, archive: nil, lastExit: .unknown, entries: [], unread: 0, objects: [], orphanedDrafts: [],
        conflictingDrafts: [], dropped: [], damage: [])
      check(report, text)
    }
  }

  func testRestorationOutcomes() throws {
    check(.restored, "restored")
    check(.reused, "restored with an existing object")
    check(.skipped(reason: "it is gone"), "skipped: it is gone")
    check(.unresolved("no kind 'note' is defined"), "unresolved: no kind 'note' is defined")
    check(.deferred, "deferred until it is requested")
    check(.pending(key: "player"), "waits for the late object 'player'")
    check(.corrupt(reason: "a bit flipped"), "damaged: a bit flipped")
    check(.failed(reason: "it is gone"), "failed: it is gone")
    check(
      .quarantined(reason: "the last two launches ended while it was made"),
      "quarantined: the last two launches ended while it was made")
  }

  private func check(_ outcome: RestorationReport.Outcome, _ text: String, line: UInt = #line) {
    XCTAssertEqual(outcome.description, text, line: line)
  }
}
