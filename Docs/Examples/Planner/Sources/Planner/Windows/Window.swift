import Reprise
import RepriseObservation

/// A window of a user: a scene, which outlives the process.
///
/// Any number of pages may show the window at the same time, for example after a tab was duplicated.
@MainActor final class Window {
  /// A part of the page that is sent when it changes.
  enum Region: String, CaseIterable { case side, rows, editors, dialog, notice }

  let name: WindowName
  let store: Store
  /// The saves of this window. It keeps changes that could not be saved in a draft.
  let root: RootContext
  let restoration: Restoration
  private(set) var screen: WindowScreen
  private(set) var list: ListScreen
  private(set) var subscribers: [Subscriber] = []
  /// The text of the last failure, until the next input.
  var notice = "" { didSet { if notice != oldValue { changed(.notice) } } }
  /// The page whose input is being applied, if that page has the changed texts already.
  var author: String?
  /// Inputs are applied one batch after the other, also while a save waits for the disk.
  let turn = Turn()
  private(set) var isOver = false
  /// The last inputs that survive a kill.
  private var safeInputs: [AppliedInputs] = []
  /// Unsaved edits whose editors could not be restored, for example because somebody has deleted the task.
  private(set) var lost: [String] = []

  static let rootKey: RestorationKey<RootContext> = "root"

  /// Restores a window, or opens a new one.
  init(_ name: WindowName, in store: Store, onTakeover: @escaping (Window) -> Void) async throws {
    self.name = name
    self.store = store
    root = try RootContext(store, author: name.user, draft: name.draftOfSaves)
    root.makeObservable()
    restoration = Restoration(store, scene: name.scene)
    restoration.sceneConflictPolicy = .takeOver
    try restoration.register(root, as: Self.rootKey)
    try restoration.define(WindowScreen.kind) { node in WindowScreen(node) }
    try restoration.define(ListScreen.kind, needs: .registered(Self.rootKey)) { node, root in
      try ListScreen(node, root)
    }
    try restoration.define(EditorScreen.kind, needs: .ownContext(childOf: .registered(Self.rootKey))) { node, context in
      try EditorScreen(node, context)
    }
    try restoration.define(ImportDialog.kind) { node in ImportDialog(node) }
    weak var restored: Window?
    restoration.onTakeover = { if let restored { onTakeover(restored) } }
    _ = try await restoration.restore()
    screen =
      try restoration.screen(WindowScreen.kind, at: NodePath(["window"]))
      ?? restoration.open(WindowScreen.kind, id: "window", state: WindowState())
    list =
      try restoration.screen(ListScreen.kind, at: NodePath(["list"]))
      ?? restoration.open(ListScreen.kind, id: "list", state: ListState())
    restored = self
    safeInputs = inputs
    // Finding the edits reads all drafts of the store.
    if restoration.report?.entries.contains(where: { $0.outcome != .restored }) == true {
      lost = try restoration.recoverableNodes().flatMap(\.drafts).flatMap(\.preview).map { "\($0)" }
    }
    restoration.onProblem = { [weak self] problem in self?.notice = "\(problem)" }
    list.onChange { [weak self] in self?.changed(.rows) }
    await finishSave()
    dialog?.start(store, author: name.user, isNew: false) { [weak self] in self?.changed(.dialog) }
  }

  /// The open editors, the oldest first.
  var editors: [EditorScreen] {
    let paths = (try? restoration.children(of: nil)) ?? []
    return paths.compactMap { try? restoration.screen(EditorScreen.kind, at: $0) }
  }

  func editor(_ id: String) throws -> EditorScreen? { try restoration.screen(EditorScreen.kind, at: NodePath([id])) }

  var dialog: ImportDialog? { try? restoration.screen(ImportDialog.kind, at: NodePath(["import"])) }

  /// Writes everything, and lets another process or a later request restore the window.
  func end() {
    isOver = true
    dialog?.stop()
    restoration.end()
    for subscriber in subscribers { subscriber.end() }
    subscribers = []
  }

  // MARK: Pages

  func changed(_ regions: Region...) {
    for subscriber in subscribers { subscriber.changed(regions, by: author) }
  }

  /// The numbers of the last inputs.
  var inputs: [AppliedInputs] { screen.node.state.applied }

  /// Notes that inputs survive a kill.
  func becameSafe(_ inputs: [AppliedInputs]) {
    safeInputs = inputs
    for subscriber in subscribers { subscriber.safe = safeInput(of: subscriber.page) }
  }

  func safeInput(of page: String) -> Int { safeInputs.first { $0.page == page }?.last ?? 0 }

  /// Whether no page shows the window, and nothing runs in it.
  var isIdle: Bool { subscribers.isEmpty && !turn.isTaken && dialog?.isRunning != true }

  /// Ends the window after its last inputs.
  func finish() async {
    await turn.wait()
    end()
    turn.leave()
  }

  func subscribe(page: String) -> Subscriber {
    let subscriber = Subscriber(self, page: page)
    subscribers.append(subscriber)
    return subscriber
  }

  var shownPages: Set<String> { Set(subscribers.map(\.page)) }

  func unsubscribe(_ subscriber: Subscriber) { subscribers.removeAll { $0 === subscriber } }
}
