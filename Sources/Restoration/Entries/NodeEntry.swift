import RepriseEventStore

/// One node: its record, its place in the tree, and its screen once it is made.
final class NodeEntry {
  enum DraftWish {
    case new
    /// No record, or a record that a former node left at this path.
    case left
    case named(String)
  }

  enum RecordPlace {
    case none
    case atPath
    /// A record at the path before a move. Unless the node moves back, this record is deleted, and another one is
    /// written.
    case atFormerPath
  }

  enum Status {
    /// Its record was read, or its factory is running.
    case unmade
    case live
    /// The node waits for a registered object, which its outcome names.
    case waiting
    /// It was not made. Its record stays as it is.
    case kept
    /// Nothing visible needs the node, so it is made on request.
    case deferred
    /// A factory opened another node at this path. If that node is made, this one leaves the tree.
    case replaced
    /// It is no longer in the tree.
    case closed
  }

  var path: NodePath
  let kind: String
  var order: UInt64
  var status = Status.unmade
  /// The state that was last written or read. A state that was read is a slice of the archive's bytes.
  var state: ArraySlice<UInt8>
  /// The version of that state.
  var version = 1
  /// The keys of the registered objects that the node refers to.
  var needs: [String]
  /// The place of the node's record in the storage.
  var recordPlace: RecordPlace
  /// Whether the node changed since the last record in anything but its state.
  var isMoved = false
  /// Whether the record is out of date, because the path, the place, the selection or the state changed. Then the
  /// record is written even if the node cannot be made.
  var isRearranged = false
  /// Whether the archive may have nodes below this one that were not read.
  var hasUnread = false
  /// Whether the node is already among the changed nodes of the turn.
  var isMarked = false

  var screen: AnyObject?
  /// The object with its state. `nil` for a two-phase screen, which encodes its state on request.
  var node: (any NodeState)?
  /// Whether the edits of the node's context are based on edits that no longer exist.
  var isInConflict = false
  var outcome: RestorationReport.Outcome?
  /// Whether the node's factory is running.
  var isBeingMade = false
  /// Whether its record could not be read, so that it cannot be written either.
  var isOpaque = false
  private var rarities: Rarities?

  // The links of the tree. They do not retain, because freeing a chain of nodes would recurse. Accesses are unchecked,
  // because each one only reads or sets a link. The lifetime of a target is unchecked too, because the check would cost
  // more than following the link. The tree retains all linked nodes, and cuts the links of a node before it releases
  // it.
  @exclusivity(unchecked) unowned(unsafe) var parent: NodeEntry?
  @exclusivity(unchecked) unowned(unsafe) var firstChild: NodeEntry?
  @exclusivity(unchecked) unowned(unsafe) var lastChild: NodeEntry?
  @exclusivity(unchecked) unowned(unsafe) var previous: NodeEntry?
  @exclusivity(unchecked) unowned(unsafe) var next: NodeEntry?

  /// A node that this process opens.
  init(path: NodePath, kind: String, order: UInt64, site: RegistrationSite) {
    self.path = path
    self.kind = kind
    self.order = order
    state = []
    needs = []
    recordPlace = .none
    self.site = site
  }

  /// A node of the archive. Rare properties are set afterwards.
  init(path: NodePath, kind: String, order: UInt64, state: ArraySlice<UInt8>) {
    self.path = path
    self.kind = kind
    self.order = order
    self.state = state
    needs = []
    recordPlace = .atPath
  }

  /// A node of the archive whose record cannot be read.
  init(unreadable key: UnsafeRawBufferPointer, _ error: ArchiveRecordError) {
    path = NodePath(unchecked: String(decoding: key, as: UTF8.self))
    kind = ""
    order = .max
    state = []
    needs = []
    recordPlace = .atPath
    isOpaque = true
    if case .newerFormat = error {
      outcome = .failed(reason: error.reason)
    } else {
      outcome = .corrupt(reason: error.reason)
    }
  }

  /// Whether the storage has a record of the node.
  var isStored: Bool { recordPlace != .none }

  /// Whether the node is in the archive only, and not about to be made.
  var isLeft: Bool {
    switch status {
    case .kept: true
    case .waiting: if case .pending = outcome { false } else { true }
    default: false
    }
  }

  /// The outcome if no node above it exists.
  var outcomeOfOrphan: RestorationReport.Outcome {
    .skipped(reason: "its parent screen '\(path.parent?.text ?? "")' is not in the archive")
  }

  /// The outcome of the nodes below this one if this one is not restored.
  var outcomeBelow: RestorationReport.Outcome {
    if let outcome, case .pending = outcome { return outcome }
    return .skipped(reason: "the screen '\(path)' above it was not restored")
  }

  /// Whether `children(of:)` lists the node.
  var isListed: Bool { status == .live || status == .deferred }

  var key: String { ArchiveKey.node(path) }

  var siblingKey: [UInt8] { place.isEmpty ? SiblingKey.of(order: order) : place }

  /// Why the node is not live after an attempt to make it.
  var reasonNotLive: String {
    guard status != .closed, let outcome else { return "it was closed while it was made" }
    return "\(outcome)"
  }

  /// Whether the node stands before a sibling.
  func isBefore(_ other: NodeEntry) -> Bool {
    if place.isEmpty, other.place.isEmpty, order != other.order { return order < other.order }
    let (left, right) = (siblingKey, other.siblingKey)
    return left == right ? path < other.path : SiblingKey.isBefore(left, right)
  }

  var record: ArchiveRecord {
    ArchiveRecord(
      name: path.text, kind: kind, order: order, place: place, needs: needs, context: context, identity: identity,
      selection: selection, version: version, state: state)
  }
}

// MARK: - Rare properties

extension NodeEntry {
  /// Rare properties are not in the entry, so that a walk through many nodes touches less memory.
  private final class Rarities {
    var place: [UInt8] = []
    var selection = ""
    var context: ArchiveRecord.OwnContext?
    var ownContext: (any OwnContext)?
    var identity = ""
    var site = RegistrationSite.archive
    var unmigrated: UnmigratedState?
    var versionError: StateVersionError?
    var needsOfKind: [String] = []
    var unknown: UnknownKeys?
    var decoder: AnyObject?
    var wish = DraftWish.new
    var displaced: NodeEntry?
  }

  private var madeRarities: Rarities {
    if let rarities { return rarities }
    let made = Rarities()
    rarities = made
    return made
  }

  /// The place of the node among its siblings, if that is not its order.
  var place: [UInt8] {
    get { rarities?.place ?? [] }
    set { if !newValue.isEmpty || rarities != nil { madeRarities.place = newValue } }
  }
  /// The IDs of the visible children, joined with slashes, the one in front first. Empty if all are visible.
  var selection: String {
    get { rarities?.selection ?? "" }
    set { if !newValue.isEmpty || rarities != nil { madeRarities.selection = newValue } }
  }
  var context: ArchiveRecord.OwnContext? {
    get { rarities?.context }
    set { if newValue != nil || rarities != nil { madeRarities.context = newValue } }
  }
  var ownContext: (any OwnContext)? {
    get { rarities?.ownContext }
    set { if newValue != nil || rarities != nil { madeRarities.ownContext = newValue } }
  }
  /// The identity that references use, for any path. Empty until there is one.
  var identity: String {
    get { rarities?.identity ?? "" }
    set { if !newValue.isEmpty || rarities != nil { madeRarities.identity = newValue } }
  }
  /// The place in the program's code where the node was opened, if it is not from the archive.
  private(set) var site: RegistrationSite {
    get { rarities?.site ?? .archive }
    set { madeRarities.site = newValue }
  }
  /// The state as it was before it was migrated or given, until it is written.
  var unmigrated: UnmigratedState? {
    get { rarities?.unmigrated }
    set { if newValue != nil || rarities != nil { madeRarities.unmigrated = newValue } }
  }
  /// Why the node's state, which is of another version, was not taken up.
  var versionError: StateVersionError? {
    get { rarities?.versionError }
    set { if newValue != nil || rarities != nil { madeRarities.versionError = newValue } }
  }
  /// The needs of its kind. A two-phase screen adds the needs that it encodes.
  var needsOfKind: [String] {
    get { rarities?.needsOfKind ?? [] }
    set { if !newValue.isEmpty || rarities != nil { madeRarities.needsOfKind = newValue } }
  }
  /// The keys that a two-phase screen did not decode.
  var unknown: UnknownKeys? {
    get { rarities?.unknown }
    set { if newValue != nil || rarities != nil { madeRarities.unknown = newValue } }
  }
  /// The decoder with the state that chooses the needs of a two-phase screen.
  var decoder: AnyObject? {
    get { rarities?.decoder }
    set { if newValue != nil || rarities != nil { madeRarities.decoder = newValue } }
  }
  /// The object with the state that chooses the needs.
  var chooser: AnyObject? { node ?? decoder }
  /// The draft that the node's context is to have when the node is opened.
  var wish: DraftWish {
    get { rarities?.wish ?? .new }
    set { madeRarities.wish = newValue }
  }
  /// The former node at its path, until it is certain that this one replaces it.
  var displaced: NodeEntry? {
    get { rarities?.displaced }
    set { if newValue != nil || rarities != nil { madeRarities.displaced = newValue } }
  }
}

extension NodeEntry: StateOwner {
  func stateChanged(of node: any NodeState, in changes: TurnChanges) { changes.mark(self) }
}

/// The state of a record, kept until another one is written.
final class UnmigratedState {
  let state: ArraySlice<UInt8>
  let version: Int

  init(_ state: ArraySlice<UInt8>, _ version: Int) { (self.state, self.version) = (state, version) }
}

extension NodeEntry {
  /// Migrates the state to the present version. The result is written once the node is live.
  func migrate(_ versions: StateVersions) throws(StateVersionError) {
    versionError = nil
    guard version != versions.current else { return }
    do throws(StateVersionError) {
      changeState(to: try versions.migrated(state, from: version), version: versions.current)
    } catch {
      versionError = error
      throw error
    }
  }

  /// Sets another state, which is written once the node is live.
  func changeState(to other: ArraySlice<UInt8>, version: Int) {
    if other == state && version == self.version { return }
    unmigrated = UnmigratedState(state, self.version)
    (state, self.version) = (other, version)
    isMoved = true
  }

  /// Restores the former state, because the node was not made.
  func unmigrate() {
    guard let former = unmigrated else { return }
    (state, version) = (former.state, former.version)
    unmigrated = nil
  }
}
