/// What restoration knows of one key.
@MainActor final class ObjectEntry {
  enum Resolution {
    case open
    case done(RegisteredValue)
    case refused(Unmet)
  }

  let key: String
  /// What was registered; the factory, if there is one, is asked first.
  var registered: RegisteredValue?
  /// Whether an editing context is, or was, registered under the key, or made for it.
  var isContext = false
  /// Whether that stands in for something that did not come in time.
  var isPlaceholder = false
  var restorable: (any RestorableScreen)?
  /// What its factory made, if that is an object.
  var made: AnyObject?
  var site: RegistrationSite?
  /// Brings what is registered late; `nil` once that has come or failed.
  var late: LateArrival?
  /// Starts `late`, or starts it again.
  var bring: (@MainActor () -> Void)?
  var lateFailure: String?
  /// Lets what was registered come late, if its store is not open when nodes are made.
  var comeLate: (@MainActor () -> Void)?
  var factory: (any ObjectDefinition)?
  var factorySite: RegistrationSite?
  var resolution = Resolution.open
  /// Whether there ever was an owner: then another may come.
  var wasRegistered = false
  /// How many nodes refer to it. It is archived while there are any.
  var references = 0

  /// What was last written, or read.
  var state: ArraySlice<UInt8>?
  /// The version of that state.
  var version = 1
  /// When the state was last written, in microseconds since 1970 if the clock never went back: of two scenes with the
  /// same object, the later one counts.
  var stamp: UInt64 = 0
  /// What the object encoded to once it had taken up its state: whatever differs was changed since.
  var stateAtFirst: ArraySlice<UInt8>?
  var needs: [String] = []
  var node: (any NodeState)? { didSet { remember(oldValue) } }
  private var formerNodes: [FormerNode] = []
  var unknown: UnknownKeys?
  /// Whether the scene's archive has a record of it.
  var isStored = false
  /// Whether its record is to be the one that scenes share.
  var isShared = false
  /// Whether the shared state is not for it: it is to begin anew.
  var ignoresShared = false
  /// Whether the state differs from that of its record.
  var isChanged = false
  var isMarked = false
  var outcome: RestorationReport.Outcome?

  init(_ key: String) { self.key = key }

  private struct FormerNode { weak var node: (any NodeState)? }

  /// Those that it had before, of scenes that ended, and that the object may hold.
  var otherNodes: [any NodeState] { formerNodes.compactMap(\.node).filter { $0 !== node } }

  private func remember(_ former: (any NodeState)?) {
    guard node != nil else { return formerNodes = [] }
    if let former, former !== node { formerNodes = (otherNodes + [former]).map { FormerNode(node: $0) } }
  }

  /// A late object that failed may be registered anew.
  var hasOwner: Bool { registered != nil && !isPlaceholder || late != nil }

  /// Whether something is registered under the key, is to come, or can be made.
  var hasSource: Bool { registered != nil || late != nil || lateFailure != nil || factory != nil }

  /// The object whose state this is: scenes that have the same one share its record.
  var object: AnyObject? { restorable ?? made }

  var record: ArchiveRecord {
    ArchiveRecord(
      name: key, isObject: true, kind: "", order: stamp, needs: needs, version: version, state: state ?? [])
  }
}

extension ObjectEntry: StateOwner {
  func stateChanged(of node: any NodeState, in changes: Changes) {
    self.node = node
    changes.mark(self)
  }
}

/// How a registered object is made from its archived state.
@MainActor protocol ObjectDefinition: AnyObject {
  var needs: [Need] { get }
  func made(_ entry: ObjectEntry) throws(Unmet) -> RegisteredValue?
  /// The node with which another scene made the same object belongs to this entry from here on.
  func adopt(_ node: any NodeState, for entry: ObjectEntry)
}
