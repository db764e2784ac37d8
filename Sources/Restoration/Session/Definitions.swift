/// How the nodes of one kind are made.
@MainActor protocol KindDefinition: AnyObject {
  var site: RegistrationSite { get }
  var needs: [Need] { get }
  /// The keys among the needs that the archive remembers.
  var references: [String] { get }
  /// The node's screen, from what the archive has of it; `nil` if its factory says that there is nothing to restore.
  func restored(_ entry: NodeEntry, in restoration: Restoration) throws(Unmet) -> AnyObject?
}

/// A kind whose factory receives everything at once.
final class OnePhaseKind<State: Codable & Sendable, Screen: AnyObject>: KindDefinition {
  typealias Build = @MainActor (RestorationNode<State>, Restoration, NodeEntry) throws(Unmet) -> Screen?

  let site: RegistrationSite
  let needs: [Need]
  let references: [String]
  private let build: Build
  /// Kept, as to find it anew for each node takes as long as to make the node.
  private let nodeType = RestorationNode<State>.self

  init(site: RegistrationSite, needs: [Need], build: @escaping Build) {
    self.site = site
    self.needs = needs
    references = needs.references
    self.build = build
  }

  func restored(_ entry: NodeEntry, in restoration: Restoration) throws(Unmet) -> AnyObject? {
    let node: RestorationNode<State>
    do throws(StateCodingError) {
      node = try nodeType.init(restoration.stateDecoder, entry.state, path: entry.path)
    } catch {
      throw .failed("its state could not be read: \(error)")
    }
    return try made(node, entry, in: restoration)
  }

  func opened(_ state: State, _ entry: NodeEntry, in restoration: Restoration) throws(Unmet) -> Screen? {
    try made(RestorationNode(state, unknown: nil, path: entry.path), entry, in: restoration)
  }

  private func made(
    _ node: RestorationNode<State>, _ entry: NodeEntry, in restoration: Restoration
  ) throws(Unmet) -> Screen? {
    node.attach(entry, restoration)
    return try build(node, restoration, entry)
  }
}

/// A kind whose screens are made first, decode themselves when all are made, and are told when all have decoded.
final class TwoStepKind: KindDefinition {
  typealias Make = @MainActor (NodePath, RestorationDecoder) throws -> (any RestorableScreen)?

  let site: RegistrationSite
  var needs: [Need] { [] }
  var references: [String] { [] }
  private let make: Make

  init(site: RegistrationSite, make: @escaping Make) {
    self.site = site
    self.make = make
  }

  func restored(_ entry: NodeEntry, in restoration: Restoration) throws(Unmet) -> AnyObject? {
    try restoration.requireLateReferences(of: entry)
    let decoder = try restoration.decoder(of: entry)
    do {
      guard let screen = try make(entry.path, decoder) else { return nil }
      if let other = restoration.entry(of: screen) {
        throw Unmet.failed("its factory gave the screen of '\(other.path)'")
      }
      restoration.undecoded.append((entry, screen, decoder))
      return screen
    } catch {
      throw error as? Unmet ?? .thrown(error)
    }
  }
}

/// How a registered object is made from its archived state.
@MainActor protocol ObjectDefinition: AnyObject {
  var needs: [Need] { get }
  func made(_ entry: ObjectEntry, in restoration: Restoration) throws(Unmet) -> RegisteredValue?
}

final class RestorableObject<State: Codable & Sendable, Value>: ObjectDefinition {
  typealias Build = @MainActor (RestorationNode<State>, Restoration) throws(Unmet) -> Value?

  let needs: [Need]
  private let initial: State
  private let build: Build

  init(needs: [Need], initial: State, build: @escaping Build) {
    self.needs = needs
    self.initial = initial
    self.build = build
  }

  func made(_ entry: ObjectEntry, in restoration: Restoration) throws(Unmet) -> RegisteredValue? {
    var state = initial
    var unknown: UnknownKeys?
    if let archived = entry.state {
      do throws(StateCodingError) {
        state = try restoration.stateDecoder.decode(State.self, from: archived, unknown: &unknown)
      } catch {
        throw .failed("the state of '\(entry.key)' could not be read: \(error)")
      }
    }
    let node = RestorationNode(state, unknown: unknown, path: NodePath(unchecked: entry.key))
    node.attach(entry, restoration)
    return try build(node, restoration).map(RegisteredObject.init)
  }
}
