extension Restoration {
  /// Defines the factory that makes the nodes of a kind, both in restore and when you open a node.
  ///
  /// The factory is synchronous, and receives every need resolved and every state decoded. A screen can therefore keep
  /// them in constants. The factory returns a new screen, an existing one, or `nil` if there is nothing to restore. If
  /// it returns `nil` or throws, the node and the nodes below it are not made. The archive keeps their states, and the
  /// report has the error.
  ///
  /// A factory may open nodes below its own. During restore, if the archive has such a node, it is made with its
  /// archived state and context instead of the given ones. Otherwise, it is opened as new. If such a node waits for a
  /// late object, `open` throws. If the factory passes that error on, its own node waits for the object, too.
  ///
  /// If you define a kind after restore, its unresolved nodes are made at once.
  ///
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the kind is already defined.
  ///   ``RestorationError/invalidID(_:reason:)`` if its name is empty.
  ///   ``RestorationError/invalidDefinition(kind:reason:)`` if it needs more than one context of its own, or keys
  ///   chosen by another type of state, or if its migrations do not ascend, or exceed its version.
  public func define<State, Screen, each Needed>(
    _ kind: NodeKind<State, Screen>, needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    build: @escaping (RestorationNode<State>, repeat each Needed) throws -> Screen?
  ) throws {
    var list: [Need] = []
    for dependency in repeat each needs { list.append(dependency.need) }
    try addKind(
      kind.name,
      OnePhaseKind<State, Screen>(
        site: RegistrationSite(file, line), needs: list, versions: kind.versions, title: kind.title
      ) {
        node, resolver, entry throws(Unmet) in
        try resolver.objects.require(list, of: entry)
        let needed = (repeat try (each needs).resolve(resolver, entry))
        do { return try build(node, repeat each needed) } catch { throw .thrown(error) }
      })
  }

  /// Defines a kind whose screens decode their state themselves, in a second phase.
  ///
  /// First, all screens are made, parents before children. Then, each screen decodes its state, and can refer to every
  /// other screen and every registered object. Finally, each screen is informed that restoration has finished. Use it
  /// for code written for UIKit's restoration. With ``define(_:needs:file:line:build:)``, a screen is never incomplete.
  ///
  /// - Parameters:
  ///   - version: The version of the states, as for a ``NodeKind``.
  ///   - migrations: The migrations of older states, as for a ``NodeKind``.
  ///   - title: The title of a node with a state, as for a ``NodeKind``.
  ///   - needs: The needs that the factory receives. The path, or the state in the decoder, may choose a key. Open such
  ///     nodes with ``open(_:id:under:resumingDraft:draft:as:encoding:file:line:)``.
  ///   - make: Makes the screen, given its path and its decoder. Returning `nil` skips the node and the nodes below it.
  ///     For a node opened without a state, the decoder is empty.
  /// - Throws: As ``define(_:needs:file:line:build:)``.
  public func define<Screen: RestorableScreen, each Needed>(
    twoPhase kind: String, version: Int = 1, migrations: [StateMigration] = [],
    title: @escaping (StateValue) -> String? = { _ in nil }, needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    make: @escaping (NodePath, RestorationDecoder, repeat each Needed) throws -> Screen?
  ) throws {
    var list: [Need] = []
    for dependency in repeat each needs { list.append(dependency.need) }
    try addKind(
      kind,
      TwoPhaseKind(
        site: RegistrationSite(file, line), needs: list,
        versions: StateVersions(current: version, migrations: migrations), title: title
      ) { entry, decoder, resolver in
        try resolver.objects.require(list, of: entry)
        let needed = (repeat try (each needs).resolve(resolver, entry))
        return try make(entry.path, decoder, repeat each needed)
      })
  }

  /// Defines the factory of a registered object, which makes it from its archived state, or from `initial` if there is
  /// none.
  ///
  /// The factory is called when something first needs the object. If an instance is also registered under the key, the
  /// factory still decides, and may return that instance. If the factory returns `nil`, nodes that need the key are not
  /// restored. The state is archived while a node refers to the object. It has a version and migrations, as the states
  /// of a ``NodeKind`` have.
  ///
  /// If the factories of several scenes return the same object, the archive keeps one state for it. The object's nodes
  /// in all of these scenes then have the newest state. When a scene ends, its node of the object continues in another
  /// scene.
  ///
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the key has a factory.
  ///   ``RestorationError/invalidID(_:reason:)`` if the key is not a valid ID. ``RestorationError/cycle(_:)`` if the
  ///   factories would need each other, with the keys of the cycle.
  ///   ``RestorationError/invalidDefinition(kind:reason:)`` for needs that only a node of the tree can have, or if the
  ///   migrations do not ascend, or exceed the version.
  public func define<State, Value, each Needed>(
    object key: RestorationKey<Value>, initial: State, version: Int = 1, migrations: [StateMigration] = [],
    needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    build: @escaping (RestorationNode<State>, repeat each Needed) throws -> Value?
  ) throws {
    try NodePath.check(key.id)
    let site = RegistrationSite(file, line)
    if let first = objects.entries[key.id]?.factorySite {
      throw RestorationError.duplicate(id: key.id, first: first, second: site)
    }
    var list: [Need] = []
    for dependency in repeat each needs { list.append(dependency.need) }
    for need in list {
      switch need {
      case .registered(.same), .backReference: break
      case .registered(.own), .ancestor, .ownContext, .ancestorContext:
        throw RestorationError.invalidDefinition(kind: key.id, reason: Unmet.nodesOnly)
      }
    }
    if let cycle = objects.cycle(from: key.id, list) { throw RestorationError.cycle(cycle) }
    let versions = StateVersions(current: version, migrations: migrations)
    if let flaw = versions.flaw { throw RestorationError.invalidDefinition(kind: key.id, reason: flaw) }
    let entry = objects.entry(key.id)
    entry.factorySite = site
    entry.factory = RestorableObject<State, Value>(builder, needs: list, versions: versions, initial: initial) {
      node, resolver throws(Unmet) in
      let needed = (repeat try (each needs).resolve(resolver, nil))
      do { return try build(node, repeat each needed) } catch { throw .factory(error) }
    }
    objects.need(list)
    if currentScene.phase == .restored { builder.deliver(key.id) }
  }

  private func addKind(_ name: String, _ definition: any KindDefinition) throws(RestorationError) {
    try kinds.add(name, definition)
    objects.need(definition.needs)
    if definition.stateType == nil { objects.needAnyKey() }
    if currentScene.phase == .restored { builder.deliver(kind: name) }
  }
}
