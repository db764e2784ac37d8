/// A registered object that a factory makes from its state.
final class RestorableObject<State: Codable & Sendable, Value>: ObjectDefinition {
  typealias Build = @MainActor (RestorationNode<State>, DependencyResolver) throws(Unmet) -> Value?

  let needs: [Need]
  private let initial: State
  private let build: Build
  /// Not owned: it owns the registry that this stands in.
  private weak var builder: NodeBuilder?

  init(_ builder: NodeBuilder, needs: [Need], initial: State, build: @escaping Build) {
    self.builder = builder
    self.needs = needs
    self.initial = initial
    self.build = build
  }

  func made(_ entry: ObjectEntry) throws(Unmet) -> RegisteredValue? {
    guard let builder else { throw .failed("its restoration is gone") }
    var state = initial
    var unknown: UnknownKeys?
    if let archived = entry.state {
      do throws(StateCodingError) {
        state = try builder.stateDecoder.decode(State.self, from: archived, unknown: &unknown)
      } catch {
        throw .failed("the state of '\(entry.key)' could not be read: \(error)")
      }
    }
    let node = RestorationNode(state, unknown: unknown, path: NodePath(unchecked: entry.key))
    node.attach(entry, builder.editor)
    return try build(node, builder.dependencies).map(RegisteredObject.init)
  }
}
