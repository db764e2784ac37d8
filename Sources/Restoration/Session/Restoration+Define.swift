extension Restoration {
  /// Defines how nodes of a kind are made: from their state and what they need, in the normal run and in restore alike.
  ///
  /// The factory is synchronous and runs with everything resolved and decoded, so that a screen's properties can be
  /// constants. It returns the screen, one that was there before, or `nil`: there is nothing to restore, and the node
  /// and those below it are skipped. If it throws, they are too, and the error is reported. Their state is kept either
  /// way.
  ///
  /// A factory may open nodes below its own. In restore, those that the archive has come from there: with the state and
  /// the context that they had, whatever it says; what is not there yet is opened. If one of them waits for something
  /// that is registered late, and the factory throws what ``open(_:id:under:state:resumingDraft:draft:file:line:)``
  /// threw, its own node waits as well.
  ///
  /// Defined after restore, the kind's nodes that were unresolved are made at once.
  ///
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the kind is defined;
  ///   ``RestorationError/invalidID(_:reason:)``; ``RestorationError/impossibleNeeds(kind:reason:)`` for more than one
  ///   context of its own.
  public func define<State, Screen, each Needed>(
    _ kind: NodeKind<State, Screen>, needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    build: @escaping @MainActor (RestorationNode<State>, repeat each Needed) throws -> Screen?
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

  /// Defines how nodes of a kind are made whose screens take up their state themselves, in a second step.
  ///
  /// First all screens are made, parents before children; then each decodes its state, with every reference to another
  /// screen or to a registered object at hand; then each is told that restoration has finished. For code that was
  /// written for UIKit's restoration; ``define(_:needs:file:line:build:)`` leaves no moment at which a screen lacks
  /// something.
  ///
  /// - Parameters:
  ///   - version: Of the states, as that of a ``NodeKind``; so are the migrations.
  ///   - title: What people call a node with a state: see ``NodeKind``.
  ///   - needs: What the factory receives resolved, as that of any other kind. Keys may be chosen by the path, or by
  ///     the state as the decoder has it. To receive them, a node is opened with
  ///     ``open(_:id:under:resumingDraft:draft:as:encoding:file:line:)``.
  ///   - make: Makes the screen, given all IDs from the root to the node; `nil` skips the node and those below it. The
  ///     decoder of a node that is opened is empty, unless it is opened with a state.
  /// - Throws: as ``define(_:needs:file:line:build:)``.
  public func defineTwoStep<Screen: RestorableScreen, each Needed>(
    _ kind: String, version: Int = 1, migrations: [StateMigration] = [],
    title: @escaping (StateValue) -> String? = { _ in nil }, needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @MainActor (NodePath, RestorationDecoder, repeat each Needed) throws -> Screen?
  ) throws {
    var list: [Need] = []
    for dependency in repeat each needs { list.append(dependency.need) }
    try addKind(
      kind,
      TwoStepKind(
        site: RegistrationSite(file, line), needs: list,
        versions: StateVersions(current: version, migrations: migrations), title: title
      ) { entry, decoder, resolver in
        try resolver.objects.require(list, of: entry)
        let needed = (repeat try (each needs).resolve(resolver, entry))
        return try make(entry.path, decoder, repeat each needed)
      })
  }

  /// Defines how a registered object is made from its archived state, or from `initial` if there is none.
  ///
  /// The factory may return an object that is there already, a new one, or `nil`: then nothing that needs the key is
  /// restored. It is asked before any instance registered under the key, when something first needs it. Its state is
  /// archived while a node refers to it. Its state has a version, and migrations, as that of a ``NodeKind`` has.
  ///
  /// If the factories of several scenes return the same object, it is archived once, as one that is registered with a
  /// state of its own. The node that it holds then has the newest state of any of them, and goes on when the scene that
  /// it came from ends.
  ///
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the key has a factory;
  ///   ``RestorationError/invalidID(_:reason:)``; ``RestorationError/cycle(_:)`` if the factories would need each
  ///   other, with the way round; ``RestorationError/impossibleNeeds(kind:reason:)`` for needs that only a node of the
  ///   tree can have.
  public func define<State, Value, each Needed>(
    object key: RestorationKey<Value>, initial: State, version: Int = 1, migrations: [StateMigration] = [],
    needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    build: @escaping @MainActor (RestorationNode<State>, repeat each Needed) throws -> Value?
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
      case .registered(.own):
        throw RestorationError.impossibleNeeds(kind: key.id, reason: "only a node has a key of its own")
      case .ancestor, .ownContext, .ancestorContext:
        throw RestorationError.impossibleNeeds(
          kind: key.id, reason: "a registered object has no node above it, and no context of its own")
      }
    }
    if let cycle = objects.cycle(from: key.id, list) { throw RestorationError.cycle(cycle) }
    let versions = StateVersions(current: version, migrations: migrations)
    if let flaw = versions.flaw { throw RestorationError.impossibleMigrations(kind: key.id, reason: flaw) }
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
