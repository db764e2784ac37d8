extension Restoration {
  /// Says how nodes of a kind are made: from their state and what they need, in the normal run and in restore alike.
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
      OnePhaseKind<State, Screen>(site: RegistrationSite(file, line), needs: list) {
        node, restoration, entry throws(Unmet) in
        try restoration.require(list)
        let needed = (repeat try (each needs).resolve(restoration, entry))
        do { return try build(node, repeat each needed) } catch { throw .thrown(error) }
      })
  }

  /// Says how nodes of a kind are made that take up their state themselves, in a second step.
  ///
  /// First all screens are made, parents before children; then each decodes its state, with every reference to another
  /// screen or to a registered object at hand; then each is told that restoration has finished. For code that was
  /// written for UIKit's restoration; ``define(_:needs:file:line:build:)`` leaves no moment at which a screen lacks
  /// something.
  ///
  /// - Parameter make: Makes the screen, given all IDs from the root to the node; `nil` skips the node and those below
  ///   it.
  /// - Throws: as ``define(_:needs:file:line:build:)``.
  public func defineTwoStep<Screen: RestorableScreen>(
    _ kind: String, file: StaticString = #fileID, line: UInt = #line,
    make: @escaping @MainActor (NodePath, RestorationDecoder) throws -> Screen?
  ) throws {
    try addKind(kind, TwoStepKind(site: RegistrationSite(file, line), make: make))
  }

  /// Says how a registered object is made again, from its archived state; or from `initial`, when there is none.
  ///
  /// The factory may return an object that is there already, a new one, or `nil`: then nothing that needs the key is
  /// restored. It is asked before any instance registered under the key, when something first needs it. Its state is
  /// archived while a node refers to it.
  ///
  /// - Throws: ``RestorationError/duplicate(id:first:second:)`` if the key has a factory;
  ///   ``RestorationError/invalidID(_:reason:)``; ``RestorationError/cycle(_:)`` if the factories would need each
  ///   other, with the way round; ``RestorationError/impossibleNeeds(kind:reason:)`` for needs that only a node of the
  ///   tree can have.
  public func define<State, Value, each Needed>(
    object key: RestorationKey<Value>, initial: State, needs: repeat Dependency<each Needed>,
    file: StaticString = #fileID, line: UInt = #line,
    build: @escaping @MainActor (RestorationNode<State>, repeat each Needed) throws -> Value?
  ) throws {
    try NodePath.check(key.id)
    let site = RegistrationSite(file, line)
    if let first = objects[key.id]?.factorySite {
      throw RestorationError.duplicate(id: key.id, first: first, second: site)
    }
    var list: [Need] = []
    for dependency in repeat each needs { list.append(dependency.need) }
    for need in list {
      switch need {
      case .registered, .backReference: break
      case .ancestor, .ownContext, .ancestorContext:
        throw RestorationError.impossibleNeeds(
          kind: key.id, reason: "a registered object has no node above it, and no context of its own")
      }
    }
    if let cycle = cycle(from: key.id, list) { throw RestorationError.cycle(cycle) }
    let entry = object(key.id)
    entry.factorySite = site
    entry.factory = RestorableObject<State, Value>(needs: list, initial: initial) { node, restoration throws(Unmet) in
      let needed = (repeat try (each needs).resolve(restoration, nil))
      do { return try build(node, repeat each needed) } catch { throw .factory(error) }
    }
    for key in list.references { neededKeys.insert(key) }
    if phase == .restored { deliver(key.id) }
  }

  private func addKind(_ name: String, _ definition: any KindDefinition) throws(RestorationError) {
    guard !name.isEmpty else { throw .invalidID(name, reason: "a kind has a name") }
    if let first = kinds[name] { throw .duplicate(id: name, first: first.site, second: definition.site) }
    if definition.needs.count(where: \.isOwnContext) > 1 {
      throw .impossibleNeeds(kind: name, reason: "a node has one context of its own at most")
    }
    kinds.add(name, definition)
    for key in definition.references { neededKeys.insert(key) }
    if phase == .restored { deliver(kind: name) }
  }

  /// The way from a key back to itself through the needs of factories.
  private func cycle(from key: String, _ needs: [Need]) -> [String]? {
    var cameFrom: [String: String] = [:]
    var stack = needs.compactMap(\.key)
    for need in stack { cameFrom[need] = key }
    while let here = stack.popLast() {
      if here == key {
        var way: [String] = []
        var step = cameFrom[key]
        while let present = step, present != key {
          way.append(present)
          step = cameFrom[present]
        }
        return [key] + Array(way.reversed()) + [key]
      }
      for next in objects[here]?.factory?.needs.compactMap(\.key) ?? [] where cameFrom[next] == nil {
        cameFrom[next] = here
        stack.append(next)
      }
    }
    return nil
  }
}
