import RepriseObjectGraph

/// What each node of a kind needs of its own: the source of its document, say, registered under a key with the
/// document's name in it.
extension Dependency {
  /// What is registered under the key that the node's path chooses.
  ///
  /// As ``registered(_:)``: a node waits for what is registered late, and is made when it comes. Something may be
  /// registered under any key after restore, if a kind has such a need.
  public static func registered(
    _ key: @escaping (NodePath) -> RestorationKey<Value>
  ) -> Dependency {
    registered(NodeKey(stateType: nil) { _, path in key(path).id })
  }

  /// What is registered under the key that the node's state chooses, as the node is made; its path may help.
  ///
  /// A definition is refused if its states are of another type.
  public static func registered<State: Codable & Sendable>(
    _ key: @escaping (State, NodePath) -> RestorationKey<Value>
  ) -> Dependency {
    registered(.chosen { (state: State, path) in key(state, path).id })
  }

  /// What is registered under the key that the state of a two-step screen chooses: as the decoder has it that its
  /// factory receives, or, of a screen that is adopted, as it encodes itself. If that throws, the node is not made.
  ///
  /// A definition is refused if its kind is not a two-step one.
  public static func registered(
    _ key: @escaping (RestorationDecoder, NodePath) throws -> RestorationKey<Value>
  ) -> Dependency {
    registered(.encoded { coder, path in try key(coder, path).id })
  }

  private static func registered(_ key: NodeKey) -> Dependency {
    Dependency(need: .registered(.own(key))) { resolver, entry throws(Unmet) in
      guard let entry else { throw .failed("only a node has a key of its own") }
      guard let id = key.id(for: entry.chooser, at: entry.path) else { throw .failed("its state chooses no key") }
      return try resolver.objects.value(of: RestorationKey<Value>(id))
    }
  }
}

extension ContextParent {
  /// The context registered under the key that the node's state chooses, as the node is made.
  ///
  /// A definition is refused if its states are of another type.
  public static func registered<State: Codable & Sendable, Context: EditingContext>(
    _ key: @escaping (State, NodePath) -> RestorationKey<Context>
  ) -> ContextParent {
    ContextParent(form: .registered(.own(.chosen { (state: State, path) in key(state, path).id })))
  }
}

extension ContextParent {
  package init(_ key: @escaping (RestorationDecoder, NodePath) throws -> String) {
    form = .registered(.own(.encoded(key)))
  }

  /// The context registered under the key that the state of a two-step screen chooses, as the decoder has it that its
  /// factory receives. If that throws, the node is not made.
  ///
  /// A definition is refused if its kind is not a two-step one.
  public static func registered<Context: EditingContext>(
    _ key: @escaping (RestorationDecoder, NodePath) throws -> RestorationKey<Context>
  ) -> ContextParent {
    ContextParent(form: .registered(.own(.encoded { coder, path in try key(coder, path).id })))
  }
}

extension NodeKey {
  /// A key that the state of a two-step screen chooses.
  fileprivate static func encoded(
    _ key: @escaping (RestorationDecoder, NodePath) throws -> String
  ) -> NodeKey {
    NodeKey(stateType: RestorationDecoder.self) { coder, path in
      (coder as? RestorationDecoder).flatMap { try? key($0, path) }
    }
  }

  /// A key that a state chooses.
  fileprivate static func chosen<State: Codable & Sendable>(
    _ key: @escaping (State, NodePath) -> String
  ) -> NodeKey {
    NodeKey(stateType: State.self) { node, path in (node as? RestorationNode<State>).map { key($0.state, path) } }
  }
}
