/// A registered object that a factory makes from its state.
final class RestorableObject<State: Codable & Sendable, Value>: ObjectDefinition {
  typealias Build = (RestorationNode<State>, DependencyResolver) throws(Unmet) -> Value?

  let needs: [Need]
  private let versions: StateVersions
  private let initial: State
  private let build: Build
  /// Not retained, because the builder owns the registry with this object.
  private weak var builder: NodeBuilder?

  init(_ builder: NodeBuilder, needs: [Need], versions: StateVersions, initial: State, build: @escaping Build) {
    self.builder = builder
    self.needs = needs
    self.versions = versions
    self.initial = initial
    self.build = build
  }

  func made(_ entry: ObjectEntry) throws(Unmet) -> RegisteredValue? {
    guard let builder else { return nil }
    var state = initial
    var unknown: UnknownKeys?
    let isMigrated = entry.state != nil && entry.version != versions.current
    if let current = try current(entry) {
      do throws(StateCodingError) {
        state = try builder.stateDecoder.decode(State.self, from: current, unknown: &unknown)
      } catch {
        throw .failed("the state of '\(entry.key)' could not be read: \(error)")
      }
    }
    let node = RestorationNode(state, unknown: unknown, path: NodePath(unchecked: entry.key))
    node.attach(object: entry, builder.editor)
    guard let made = try build(node, builder.dependencies) else { return nil }
    entry.version = versions.current
    if isMigrated { entry.isChanged = true }
    if type(of: made) is AnyClass { entry.made = made as AnyObject }
    return RegisteredObject(made)
  }

  /// The archived state in the present version. `nil` if there is none, or if the program no longer reads its version.
  private func current(_ entry: ObjectEntry) throws(Unmet) -> ArraySlice<UInt8>? {
    guard let archived = entry.state else { return nil }
    do throws(StateVersionError) { return try versions.migrated(archived, from: entry.version) } catch {
      if case .givenUp = error { return nil }
      throw .object(entry.key, .version(error))
    }
  }

  func adopt(_ node: any NodeState, for entry: ObjectEntry) {
    if let builder { (node as? RestorationNode<State>)?.attach(object: entry, builder.editor) }
  }
}
