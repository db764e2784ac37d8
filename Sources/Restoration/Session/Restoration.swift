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
/// Once it has restored, it lives as long as its store is open, whoever holds it, or until ``end()``: so no state that
/// a screen sets goes nowhere. Screens are held until their node is closed.
@MainActor public final class Restoration {
  enum Phase {
    case registering
    case restoring
    case restored
    case ended
  }

  let storage: any ArchiveStorage
  /// Names the archive: one for each window.
  public let scene: String
  let schemaVersion: Int
  let appVersion: String
  /// The wall clock, in microseconds since 1970.
  let now: () -> Int64
  var phase = Phase.registering
  /// Whether the archive is this one's.
  var isClaimed = false

  var objects: [String: ObjectEntry] = [:]
  var kinds = KindRegistry()
  var tree = NodeTree()
  var order: UInt64 = 0
  var screens = ScreenCounts()
  let stateDecoder = StateDecoder()
  /// The nodes of two-step screens, which have no `RestorationNode` to be known by.
  var twoStep: [ObjectIdentifier: NodeEntry] = [:]
  /// The nodes that something refers to, by their identity.
  var referredTo: [String: NodeEntry] = [:]
  /// Nodes that wait, by the key for which.
  var waiting: [String: [NodeEntry]] = [:]
  var waitingForKind: [String: [NodeEntry]] = [:]
  /// Objects that could not be had: not asked for again before all factories have run.
  var refused: [ObjectEntry] = []
  /// Keys that nodes wait for, and that factories have made something for since.
  var arrived: [String] = []
  /// The keys that definitions name among their needs.
  var neededKeys: Set<String> = []
  /// Two-step screens that were made and have not decoded yet.
  var undecoded: [(entry: NodeEntry, screen: any RestorableScreen, decoder: RestorationDecoder)] = []
  var finishing: [any RestorableScreen] = []
  /// How many factories of nodes are running, each within the one before.
  var running = 0
  /// Nodes that factories opened in the place of others.
  var replacing: [NodeEntry] = []
  var backReferences: [@MainActor (Restoration) -> Void] = []
  var handover: Handover?

  // What is to be written at the end of the turn.
  var changedNodes: [NodeEntry] = []
  var changedObjects: [ObjectEntry] = []
  /// Nodes whose state could not be kept: `save()` tries again.
  var unkept: [NodeEntry] = []
  var removedKeys: Set<String> = []
  var isTurnOpen = false
  var infoWrittenAt: Int64?
  /// Whether the archive's account of itself is to be written at once.
  var isInfoChanged = false
  /// By path, the drafts with edits of nodes that were closed there, where they are not named after it.
  var leftDrafts: [String: String] = [:]
  /// The records of an archive that the program refused, until the first save sets them aside.
  var refusedArchive: [String: [UInt8]] = [:]

  var reportSoFar: RestorationReport?
  /// The nodes of the report.
  var reported: [NodeEntry] = []

  /// What became of every node that the last process left, as of now: nodes that waited may have been made since. `nil`
  /// before restore has finished.
  public var report: RestorationReport? { phase == .restored ? reportSoFar : nil }

  /// How long nodes that are not restored are kept. To be said before restore.
  public var keptNodes = KeptNodePolicy()
  /// Whether there was a node that was not restored.
  var hasSkipped = false
  /// In how many launches before this one a node was not restored, by its order.
  var missedBefore: [UInt64: Int] = [:]

  /// Called when something could not be kept, on the turn in which that was found. The last good state stays.
  public var onProblem: ((RestorationError) -> Void)?

  package init(
    storage: any ArchiveStorage, scene: String = "main", schemaVersion: Int = 1, appVersion: String = "",
    now: @escaping () -> Int64 = WallClock.microseconds
  ) {
    self.storage = storage
    self.scene = ComposedText.composed(scene)
    self.schemaVersion = schemaVersion
    self.appVersion = appVersion
    self.now = now
  }

  func object(_ key: String) -> ObjectEntry {
    if let entry = objects[key] { return entry }
    let entry = ObjectEntry(key)
    objects[key] = entry
    return entry
  }

  func requireRestored(_ what: String) throws(RestorationError) {
    if phase == .ended { throw .ended(scene) }
    guard phase == .restored else { throw .notRestored(what) }
  }
}
