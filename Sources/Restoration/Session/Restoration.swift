import RepriseEventStore
import RepriseObjectModel
import RepriseSystem

/// Restores the screens of the last process: the tree of nodes, each with its state and its dependencies.
///
/// A node may also have an editing context of its own, which is restored with its uncommitted edits.
///
/// ```swift
/// let restoration = Restoration(store)
/// try restoration.register(list, as: Keys.items)
/// try restoration.define(ListScreen.kind, needs: .registered(Keys.items)) { node, items in ListScreen(node, items) }
/// let report = try await restoration.restore { _ in true }
/// if report.entries.isEmpty { try restoration.open(ListScreen.kind, id: "list", state: ListState()) }
/// ```
///
/// Register objects and define kinds first, then call ``restore(shouldRestore:)`` once. Until it has finished, the
/// archive is neither changed nor discarded. From then on, each turn's changes of nodes are journalled at the end of
/// that turn, in one frame with the edits of the turn. A node that cannot be restored keeps its state for a later
/// launch.
///
/// After restore, a `Restoration` lives until ``end()``, or until its store is closed, even if you hold no reference to
/// it. A state that a screen sets is therefore never lost. The tree retains each screen until its node is closed. After
/// ``end()``, every call that needs the scene throws ``RestorationError/ended(_:)``.
///
/// A `Restoration` and its screens belong to the actor that makes it, for example the main actor. A server can have
/// scenes on many actors. The compiler rejects a `Restoration` that is made outside an actor, and each use from
/// elsewhere. An actor's initialiser is not isolated, so make the `Restoration` in a method of the actor.
public final class Restoration {
  /// The name of the scene, one for each window, in composed form (NFC).
  ///
  /// Any text is allowed. No name collides with a name that the library uses itself.
  public let scene: String
  let currentScene: Scene
  let changes = TurnChanges()
  let objects: ObjectRegistry
  let kinds = KindRegistry()
  let screens: TwoPhaseScreens
  let tree = NodeTree()
  let drafts: NodeDrafts
  let reports: ReportBuilder
  let editor: TreeEditor
  let builder: NodeBuilder
  let saver: Saver

  /// The current outcome of every node that the last process left, or `nil` before restore has finished.
  ///
  /// It changes when nodes that waited are made. Reading it after such a change takes O(nodes) time.
  public var report: RestorationReport? { currentScene.phase == .restored ? reports.report : nil }

  /// How long the archive keeps nodes that could not be restored.
  ///
  /// Set it before restore.
  public var unrestoredNodeRetention = UnrestoredNodeRetention()

  /// How long the archive keeps deferred nodes, which nothing visible needs and the program has not asked for.
  ///
  /// Set it before restore.
  public var deferredNodeRetention = DeferredNodeRetention()

  /// Whether the program calls ``reportDisplayed()`` when the scene is displayed.
  ///
  /// Set it before restore.
  ///
  /// If it is `true`, a launch that ends before ``reportDisplayed()`` counts as ``ExitReason/crashedWhileRestoring``.
  /// If the next launch ends in the same way, the launch after it leaves out the nodes that were made and not
  /// displayed. If one of these nodes is below another one, only the lower one is left out. Call
  /// ``reportDisplayed(_:)`` for each node to leave out fewer nodes.
  ///
  /// The record of undisplayed nodes holds 1 MiB of paths. If there are more, the lowest nodes are left out first, and
  /// the rest after another such launch.
  public var reportsDisplay: Bool {
    get { currentScene.awaitsDisplay }
    set { if currentScene.phase == .registering { currentScene.awaitsDisplay = newValue } }
  }

  /// Whether restore waits until the store with the archive is open, `true` by default.
  ///
  /// Set it before restore.
  ///
  /// If it is `false` and the store comes from `Store.opening`, restore begins as soon as the archive can be read. For
  /// example, the store may still be migrating. Nodes that need nothing from the store are made at once, and can be
  /// used and saved. Registered contexts of the store are then late objects: nodes that need one are made when the
  /// store is open, and ``waitUntilSettled()`` waits for them.
  ///
  /// If the store cannot be opened, the nodes that need one of its contexts are reported as failed, and they keep their
  /// states. After `Store.retryOpening()`, call ``retry(_:)`` to make them. If opening failed before restore, restore
  /// throws the reason.
  ///
  /// A factory must reach the store only through its needs. Whether drafts have edits is reported once the store is
  /// open.
  public var waitsForStore: Bool {
    get { currentScene.waitsForStore }
    set { if currentScene.phase == .registering { currentScene.waitsForStore = newValue } }
  }

  /// Makes a picture or a text of the scene, for ``preview(of:at:)``.
  ///
  /// Returning `nil` keeps the last preview.
  ///
  /// Called by each ``flush(durable:)``, and at the signals of ``flushOnTermination()``.
  public var makePreview: (() -> [UInt8]?)?

  /// How restore proceeds if another `Restoration` holds the scene.
  ///
  /// Set it before restore.
  public var sceneConflictPolicy = SceneConflictPolicy.refuse

  /// Whether this `Restoration` writes nothing, because another one holds the scene.
  ///
  /// See ``SceneConflictPolicy/readOnly``.
  public var isReadOnly: Bool { currentScene.isReadOnly }

  /// Called after another `Restoration` has taken the scene over, and this one has ended.
  ///
  /// If you set it before restore, other processes may take the scene over. Otherwise, only this process may. If you
  /// set it, one thread waits for such a request. When it is called, the scene has ended here, and nobody else can have
  /// it yet. Release the screens here: a context that you retain keeps its draft from the new holder of the scene.
  public var onTakeover: (() -> Void)?

  /// Called when a late object arrives, fails, becomes overdue or reports progress.
  ///
  /// See ``lateObjects``.
  public var onLateProgress: (() -> Void)?

  /// Called when nodes that were made with a placeholder have been made again, once for each node, parents first.
  ///
  /// This happens when the late object arrives that the placeholder replaced. The node keeps its state, and its own
  /// context with the uncommitted edits.
  ///
  /// `former` is the screen that was shown, whose node is now closed. `screen` is the one to show instead. It is `nil`
  /// if the node could not be made, and the report gives the reason. It is `former` if the factory returned that again.
  public var onReplacement: ((_ path: NodePath, _ former: AnyObject, _ screen: AnyObject?) -> Void)?

  /// Called when something cannot be saved, in the turn that finds the problem.
  ///
  /// The last good state stays.
  public var onProblem: ((RestorationError) -> Void)? {
    get { currentScene.onProblem }
    set { currentScene.onProblem = newValue }
  }

  package init(
    storage: any ArchiveStorage, scene: String = "main", schemaVersion: Int = 1, appVersion: String = "",
    now: @escaping () -> Int64 = WallClock.microseconds,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    isolation: isolated any Actor = #isolation
  ) {
    self.scene = ComposedText.composed(scene)
    currentScene = Scene(self.scene, storage, in: isolation, appVersion: appVersion, now: now, sleep: sleep)
    screens = TwoPhaseScreens(tree, changes)
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
