import RepriseEventStore
import RepriseObjectModel
import RepriseSystem

/// Brings the screens of the last process back: the tree of nodes, each with its state, its dependencies and, where it
/// has one, its editing context with the uncommitted edits.
///
/// ```swift
/// let restoration = Restoration(store)
/// try restoration.register(list, as: Keys.items)
/// try restoration.define(ListScreen.kind, needs: .registered(Keys.items)) { node, items in ListScreen(node, items) }
/// let report = try await restoration.restore { _ in true }
/// if report.entries.isEmpty { try restoration.open(ListScreen.kind, id: "list", state: ListState()) }
/// ```
///
/// First everything is registered and defined; then ``restore(shouldRestore:)``, once; from then on changes of nodes
/// are journalled at the end of each turn, in one frame with the edits of that turn. Nothing is written or thrown away
/// before restore has finished. What could not be restored keeps its state for a later launch.
///
/// Once it has restored, it lives until ``end()``, or as long as its store is open, whoever holds it: so no state that
/// a screen sets is lost. Screens are held until their node is closed.
@MainActor public final class Restoration {
  /// Names the archive: one for each window. Any text: none is taken for a name that the library gave.
  public let scene: String
  let currentScene: Scene
  let changes = Changes()
  let objects: ObjectRegistry
  let kinds = KindRegistry()
  let screens: TwoStepScreens
  let tree = NodeTree()
  let drafts: NodeDrafts
  let reports: ReportBuilder
  let editor: TreeEditor
  let builder: NodeBuilder
  let saver: Saver

  /// What became of every node that the last process left, as of now: nodes that waited may have been made since. `nil`
  /// before restore has finished.
  public var report: RestorationReport? { currentScene.phase == .restored ? reports.report : nil }

  /// How long nodes that are not restored are kept. Set it before restore.
  public var keptNodes = KeptNodePolicy()

  /// How long nodes are kept that nothing visible needs, and that nobody asks for. Set it before restore.
  public var deferredNodes = DeferredNodePolicy()

  /// Whether the program says when the scene is displayed, with ``didDisplay()``. Set it before restore.
  ///
  /// Until then the launch has not come through: should it end before, it counts as one that ended while the scene was
  /// restored (``LastExit/crashedWhileRestoring``). If the next one ends so as well, the nodes that were made and not
  /// displayed are left out, of those above each other the lowest. With ``didDisplay(_:)`` for each node these are
  /// fewer. Of more than a MiB of paths, the lowest nodes are left out, and the others after a further such launch.
  public var confirmsDisplay: Bool {
    get { currentScene.awaitsDisplay }
    set { if currentScene.phase == .registering { currentScene.awaitsDisplay = newValue } }
  }

  /// Whether restore waits until the store with the archive is open. Set it before restore.
  ///
  /// If not, and `Store.opening` gave the store, restore begins as soon as the archive can be read, while the store is
  /// migrating, say: nodes that need nothing of the store are made, used and kept at once. The store's contexts that
  /// are registered come late, as those of another store do: nodes that need one are made when the store is open, and
  /// ``settled()`` waits for them. If it cannot be opened they are reported as failed, and nothing of them is lost;
  /// after `Store.retryOpening()`, ``retry(_:)`` makes them. If opening has failed already, restore throws why. A
  /// factory is to reach the store through its needs only.
  /// Whether drafts have edits is known, and told, once the store is open.
  public var waitsForStore: Bool {
    get { currentScene.waitsForStore }
    set { if currentScene.phase == .registering { currentScene.waitsForStore = newValue } }
  }

  /// Asked for a picture or a text of what the scene shows, at each ``flush(durable:)`` and at the signals of
  /// ``flushOnTermination()``: see ``keepPreview(_:)``. `nil` leaves the last one.
  public var makePreview: (() -> [UInt8]?)?

  /// What to do about a scene that another `Restoration` has. Set it before restore.
  public var sceneConflict = SceneConflict.refuse

  /// Whether nothing is written, as another `Restoration` has the scene: see ``SceneConflict/readOnly``.
  public var isReadOnly: Bool { currentScene.isReadOnly }

  /// Called when this `Restoration` has ended because another process took its scene over, or another `Restoration` of
  /// this process. Set before restore, it allows other processes to do so; without it they are refused. Costs a thread
  /// that waits. Let go of screens here: a context that is held keeps its draft from whoever has the scene now.
  public var onTakeOver: (() -> Void)?

  /// Called when something that is registered late has come, failed, become overdue or made progress: see
  /// ``lateSources``.
  public var onLateProgress: (() -> Void)?

  /// Called for each node that is made again, parents first, once all are: something registered late has come that a
  /// placeholder stood in for. The node has the state, and its own context with the uncommitted edits, that it had.
  /// With the screen that was shown, whose node is closed, and the one to show instead: `nil` if it could not be made,
  /// as the report says, and the same if the factory gave that back.
  public var onReplacement: ((_ path: NodePath, _ former: AnyObject, _ screen: AnyObject?) -> Void)?

  /// Called when something could not be kept, in the turn in which that is found. The last good state stays.
  public var onProblem: ((RestorationError) -> Void)? {
    get { currentScene.onProblem }
    set { currentScene.onProblem = newValue }
  }

  package init(
    storage: any ArchiveStorage, scene: String = "main", schemaVersion: Int = 1, appVersion: String = "",
    now: @escaping () -> Int64 = WallClock.microseconds,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.scene = ComposedText.composed(scene)
    currentScene = Scene(self.scene, storage, appVersion: appVersion, now: now, sleep: sleep)
    screens = TwoStepScreens(tree, changes)
    objects = ObjectRegistry(currentScene, screens, changes)
    drafts = NodeDrafts(currentScene, changes, objects)
    reports = ReportBuilder(tree, kinds, objects, drafts)
    editor = TreeEditor(currentScene, changes, tree, objects, screens, drafts, reports)
    builder = NodeBuilder(
      currentScene, tree, kinds, objects, screens, DependencyResolver(objects, tree, kinds, drafts), editor, reports)
    saver = Saver(currentScene, changes, objects, screens, drafts, reports, tree, schemaVersion: schemaVersion)
    changes.onChange = { [weak self] in if let self { saver.schedule(holding: self) } }
  }
}
