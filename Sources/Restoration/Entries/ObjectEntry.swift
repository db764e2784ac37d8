/// The object of one key.
final class ObjectEntry {
  enum Resolution {
    case open
    case done(RegisteredValue)
    case refused(Unmet)
  }

  let key: String
  /// The registered value. If there is a factory, it is tried first.
  var registered: RegisteredValue?
  /// Whether an editing context is, or was, registered under the key, or made for it.
  var isContext = false
  /// Whether the value is a placeholder for an object that did not arrive in time.
  var isPlaceholder = false
  var restorable: (any RestorableScreen)?
  /// The object that its factory made, if it is a class instance.
  var made: AnyObject?
  var site: RegistrationSite?
  /// Produces a late object. `nil` after the object has arrived or failed.
  var late: LateArrival?
  /// Starts `late`, or starts it again.
  var bring: (() -> Void)?
  var lateFailure: String?
  /// Makes the registered value late, if its store is not open when nodes are made.
  var comeLate: (() -> Void)?
  var factory: (any ObjectDefinition)?
  var factorySite: RegistrationSite?
  var resolution = Resolution.open
  /// Whether the key ever had an owner. If so, another owner may be registered.
  var wasRegistered = false
  /// How many nodes refer to it. It is archived while there are any.
  var references = 0

  /// The state that was last written or read.
  var state: ArraySlice<UInt8>?
  /// The version of that state.
  var version = 1
  /// The time of the last write in microseconds since 1970, adjusted so that it never goes back. If two scenes have the
  /// same object, the later time is used.
  var stamp: UInt64 = 0
  /// The encoded state right after restoring. A difference from it is a later change.
  var stateAtFirst: ArraySlice<UInt8>?
  var needs: [String] = []
  var node: (any NodeState)? { didSet { remember(oldValue) } }
  private var formerNodes: [FormerNode] = []
  var unknown: UnknownKeys?
  /// Whether the scene's archive has a record of it.
  var isStored = false
  /// Whether its record is the one that scenes share.
  var isShared = false
  /// Whether the object ignores the shared state and begins with a new one.
  var ignoresShared = false
  /// Whether the state differs from the state in its record.
  var isChanged = false
  var isMarked = false
  var outcome: RestorationReport.Outcome?

  init(_ key: String) { self.key = key }

  private struct FormerNode { weak var node: (any NodeState)? }

  /// The nodes that it had in scenes that ended. The object may still retain them.
  var otherNodes: [any NodeState] { formerNodes.compactMap(\.node).filter { $0 !== node } }

  private func remember(_ former: (any NodeState)?) {
    guard node != nil else { return formerNodes = [] }
    if let former, former !== node { formerNodes = (otherNodes + [former]).map { FormerNode(node: $0) } }
  }

  /// A late object that failed may be registered again.
  var hasOwner: Bool { registered != nil && !isPlaceholder || late != nil }

  /// Whether something is registered under the key, is to come, or can be made.
  var hasSource: Bool { registered != nil || late != nil || lateFailure != nil || factory != nil }

  /// The object with this state. Scenes that have the same object share its record.
  var object: AnyObject? { restorable ?? made }

  var record: ArchiveRecord {
    ArchiveRecord(
      name: key, isObject: true, kind: "", order: stamp, needs: needs, version: version, state: state ?? [])
  }
}

extension ObjectEntry: StateOwner {
  func stateChanged(of node: any NodeState, in changes: TurnChanges) {
    self.node = node
    changes.mark(self)
  }
}

/// How a registered object is made from its archived state.
protocol ObjectDefinition: AnyObject {
  var needs: [Need] { get }
  func made(_ entry: ObjectEntry) throws(Unmet) -> RegisteredValue?
  /// Makes an entry the owner of a node of another scene, which made the same object.
  func adopt(_ node: any NodeState, for entry: ObjectEntry)
}
