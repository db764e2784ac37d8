/// A kind whose factory receives everything at once.
final class OnePhaseKind<State: Codable & Sendable, Screen: AnyObject>: KindDefinition {
  typealias Build = (RestorationNode<State>, DependencyResolver, NodeEntry) throws(Unmet) -> Screen?

  let site: RegistrationSite
  let needs: [Need]
  let versions: StateVersions
  var stateType: Any.Type? { State.self }
  private let title: (@Sendable (State) -> String?)?
  private let build: Build
  /// The keys that the record of each node lists. `nil` if they differ between nodes.
  private let references: [String]?
  /// Stored, because looking the type up for each node would take as long as making the node.
  private let nodeType = RestorationNode<State>.self

  init(
    site: RegistrationSite, needs: [Need], versions: StateVersions, title: (@Sendable (State) -> String?)?,
    build: @escaping Build
  ) {
    self.site = site
    self.needs = needs
    self.versions = versions
    self.title = title
    self.build = build
    references = needs.contains { $0.nodeKey != nil } ? nil : needs.references
  }

  func references(of entry: NodeEntry) -> [String] {
    references ?? needs.references(of: entry.node, at: entry.path)
  }

  func title(of state: StateValue) -> String? {
    guard let title, let state = try? state.decode(State.self) else { return nil }
    return title(state)
  }

  func restored(_ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) -> AnyObject? {
    let node: RestorationNode<State>
    do throws(StateCodingError) {
      node = try nodeType.init(builder.stateDecoder, entry.state, path: entry.path)
    } catch {
      throw .failed("its state could not be read: \(error)")
    }
    return try made(node, entry, by: builder)
  }

  func opened(_ state: State, _ entry: NodeEntry, by builder: NodeBuilder) throws(Unmet) -> Screen? {
    try made(RestorationNode(state, unknown: nil, path: entry.path), entry, by: builder)
  }

  private func made(
    _ node: RestorationNode<State>, _ entry: NodeEntry, by builder: NodeBuilder
  ) throws(Unmet) -> Screen? {
    node.attach(entry, builder.editor)
    return try build(node, builder.dependencies, entry)
  }
}
