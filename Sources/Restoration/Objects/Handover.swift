/// The changes of owners within a handover: a call of ``Restoration/handOver(_:)``.
struct Handover {
  /// The steps of nodes, in order.
  var steps: [Step] = []
  /// The nodes to close when the handover has finished. Until then, it may be undone.
  var closing: [NodeEntry] = []
  /// The keys that nodes referred to before they were made with another state, held until the end.
  var held: [String] = []
  /// The children that parents showed before their own children changed, by parent.
  var shown: [ObjectIdentifier: Shown] = [:]
  fileprivate var objects: [String: FormerOwner] = [:]

  enum Step {
    case opened(NodeEntry)
    /// The node was deferred, and was made with another state. Before, it referred to these keys.
    case made(NodeEntry, needs: [String])
    case moved(NodeMove)
  }

  struct Shown {
    let above: NodeEntry
    let children: [(id: String, entry: NodeEntry?)]
  }

  func knows(_ key: String) -> Bool { objects[key] != nil }

  /// Records that the former owner of a key leaves. False if it has left before, or if there was none.
  mutating func left(_ key: String) -> Bool {
    guard let former = objects[key], former.isOwner, !former.hasLeft else { return false }
    objects[key]?.hasLeft = true
    return true
  }

  /// The keys whose former owners have not left.
  var keysInTheWay: [String] { objects.filter { $0.value.isOwner && !$0.value.hasLeft }.map(\.key) }
}

private struct FormerOwner {
  /// Whether the key had an owner.
  let isOwner: Bool
  var hasLeft = false
  let registered: RegisteredValue?
  let isPlaceholder: Bool
  let restorable: (any RestorableScreen)?
  let site: RegistrationSite?
  let late: LateArrival?
  let bring: (() -> Void)?
  let lateFailure: String?
  let resolution: ObjectEntry.Resolution
}

extension ObjectRegistry {
  /// Remembers, once, who owned a key before the handover.
  func remember(_ entry: ObjectEntry, hasLeft: Bool = false) {
    guard handover?.knows(entry.key) == false else { return }
    handover?.objects[entry.key] = FormerOwner(
      isOwner: entry.hasOwner, hasLeft: hasLeft, registered: entry.registered, isPlaceholder: entry.isPlaceholder,
      restorable: entry.restorable, site: entry.site, late: entry.late, bring: entry.bring,
      lateFailure: entry.lateFailure, resolution: entry.resolution)
  }

  /// Makes room for another owner of a key.
  ///
  /// - Parameter hasLeft: Whether the present owner leaves with this call.
  func takeOver(_ entry: ObjectEntry, hasLeft: Bool = false) {
    // The former owner's state goes to the new one.
    if case .done = entry.resolution, entry.restorable != nil, entry.references > 0 {
      try? takeState(of: entry)
    }
    remember(entry, hasLeft: hasLeft)
    entry.registered = nil
    entry.restorable = nil
    entry.late = nil
    entry.bring = nil
    entry.lateFailure = nil
    entry.resolution = .open
  }

  /// Retains the objects that nodes refer to, because the handover may be undone.
  func hold(_ keys: [String]) {
    if handover == nil { return }
    retain(keys)
    handover?.held += keys
  }

  /// Ends a handover whose former owners have left.
  func finish(_ handover: Handover) {
    for (key, former) in handover.objects where former.hasLeft {
      former.late?.cancel()
      guard let entry = entries[key], !entry.hasOwner, entry.factory == nil, scene.phase == .restored else { continue }
      forgetState(of: entry)
    }
    release(handover.held)
  }

  /// Gives all keys back to their former owners.
  func undo(_ handover: Handover) {
    for (key, former) in handover.objects { restore(former, of: key) }
    release(handover.held)
  }

  private func restore(_ former: FormerOwner, of key: String) {
    let entry = entry(key)
    if entry.late !== former.late { entry.late?.cancel() }
    entry.registered = former.registered
    entry.isPlaceholder = former.isPlaceholder
    entry.restorable = former.restorable
    entry.site = former.site
    entry.late = former.late
    entry.bring = former.bring
    entry.lateFailure = former.lateFailure
    entry.resolution = former.resolution
  }
}
