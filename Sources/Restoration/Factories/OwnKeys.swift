import RepriseObjectGraph

/// Needs that differ between the nodes of a kind, such as the source of each node's document.
extension Dependency {
  /// The object registered under a key that the node's path chooses.
  ///
  /// If the object is registered late, the node waits for it. Normally, registering after restore throws if nothing
  /// needs the key. With such a need, any key is accepted.
  public static func registered(
    _ key: @escaping (NodePath) -> RestorationKey<Value>
  ) -> Dependency {
    registered(NodeKey(stateType: nil) { _, path in key(path).id })
  }

  /// The object registered under a key that the node's state chooses when the node is made.
  ///
  /// `key` also receives the node's path. If the nodes of a kind have another type of state, defining the kind throws
  /// ``RestorationError/invalidDefinition(kind:reason:)``.
  public static func registered<State: Codable & Sendable>(
    _ key: @escaping (State, NodePath) -> RestorationKey<Value>
  ) -> Dependency {
    registered(.chosen { (state: State, path) in key(state, path).id })
  }

  /// The object registered under a key that a screen's encoded state chooses, for a kind whose screens are
  /// ``RestorableScreen``s.
  ///
  /// `key` reads the same decoder that the factory receives. If the program adopts a screen, `key` reads the state that
  /// this screen encodes. If `key` throws, the node is not made. If the screens of the kind are not
  /// ``RestorableScreen``s, defining the kind throws ``RestorationError/invalidDefinition(kind:reason:)``.
  public static func registered(
    _ key: @escaping (RestorationDecoder, NodePath) throws -> RestorationKey<Value>
  ) -> Dependency {
    registered(.encoded { coder, path in try key(coder, path).id })
  }

  private static func registered(_ key: NodeKey) -> Dependency {
    Dependency(need: .registered(.own(key))) { resolver, entry throws(Unmet) in
      guard let entry else { throw .failed(Unmet.nodesOnly) }
      guard let id = key.id(for: entry.chooser, at: entry.path) else {
        throw .failed("the closure that chooses a key in its `needs` threw an error")
      }
      return try resolver.objects.value(of: RestorationKey<Value>(id))
    }
  }
}

/// Parents that a node's state chooses.
extension ContextParent {
  /// The context registered under a key that the node's state chooses when the node is made.
  ///
  /// `key` also receives the node's path. If the nodes of a kind have another type of state, defining the kind throws
  /// ``RestorationError/invalidDefinition(kind:reason:)``.
  public static func registered<State: Codable & Sendable, Context: EditingContext>(
    _ key: @escaping (State, NodePath) -> RestorationKey<Context>
  ) -> ContextParent {
    ContextParent(form: .registered(.own(.chosen { (state: State, path) in key(state, path).id })))
  }
}

extension ContextParent {
  /// The context registered under a key that a screen's encoded state chooses, for a kind whose screens are
  /// ``RestorableScreen``s.
  ///
  /// `key` reads the same decoder that the factory receives. If `key` throws, the node is not made. If the screens of
  /// the kind are not ``RestorableScreen``s, defining the kind throws
  /// ``RestorationError/invalidDefinition(kind:reason:)``.
  public static func registered<Context: EditingContext>(
    _ key: @escaping (RestorationDecoder, NodePath) throws -> RestorationKey<Context>
  ) -> ContextParent {
    ContextParent(form: .registered(.own(.encoded { coder, path in try key(coder, path).id })))
  }
}

extension NodeKey {
  /// A key that the state of a two-phase screen chooses.
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
