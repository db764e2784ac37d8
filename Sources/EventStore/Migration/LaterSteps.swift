import RepriseObjectModel

/// The steps of a plan after one of its migrations.
///
/// The models are the models of the last version. An entity's state in between follows from them and from these steps.
/// So a store that skips versions ends in the same state as a store that had each of them.
struct LaterSteps {
  /// A step that changes the names under which other steps find their subject.
  private enum Step {
    case rename(Rename)
    case mapping(EntityMapping)
  }

  private let steps: [Step]
  private let conversions: [AttributeConversion]
  private let removals: [Removal]

  init(of plan: MigrationPlan, after version: Int) {
    let migrations = plan.migrations.filter { $0.version > version }
    steps = migrations.flatMap { $0.renames.map(Step.rename) + $0.mappings.map(Step.mapping) }
    conversions = migrations.flatMap(\.conversions)
    removals = migrations.flatMap(\.removals)
  }

  private var mappings: [EntityMapping] {
    steps.compactMap { if case .mapping(let mapping) = $0 { mapping } else { nil } }
  }

  /// Whether a step other than a removal needs an entity, so that the entity must stay.
  func concern(_ entity: String) -> Bool {
    steps.contains { step in
      switch step {
      case .rename(let rename): rename.entity == entity
      case .mapping(let mapping): mapping.source == entity || mapping.target == entity
      }
    } || conversions.contains { $0.entity == entity }
  }

  /// Whether a step needs a property of an entity: it names the property, or it has a closure, which may read any
  /// property.
  ///
  /// - Parameter inClosures: Whether closures count.
  func need(_ property: String, of entity: String, inClosures: Bool = true) -> Bool {
    name(property, of: entity) || inClosures && names(of: entity).contains { isRead($0.entity) }
      || nextMoves(of: entity).contains { next in
        next.rest.need(
          next.move.name(next.names.property(property)), of: next.move.target, inClosures: inClosures)
      }
  }

  /// Whether a step names a property of an entity.
  func name(_ property: String, of entity: String) -> Bool {
    names(of: entity).contains { isNamed($0.property(property), of: $0.entity) }
  }

  /// The names that later renames give the properties of an entity while its objects stay in it, in their order.
  func renames(of entity: String) -> [[String: String]] { names(of: entity).last?.renames ?? [] }

  /// The model that an entity finally becomes. `nil` if there is none, for example because it becomes a part of another
  /// one.
  func model(of entity: String, in models: ResolvedSchema) -> PassingModel? {
    if let last = names(of: entity).last,
      let model = models.entities.first(where: { !$0.isLink && $0.isEverNamed(last.entity) })
    {
      return PassingModel(entity: model, renames: last.renames)
    }
    for next in nextMoves(of: entity) {
      guard let model = next.rest.model(of: next.move.target, in: models) else { continue }
      return PassingModel(entity: model.entity, renames: next.names.renames + [next.move.renamed] + model.renames)
    }
    return nil
  }

  private func isNamed(_ property: String, of entity: String) -> Bool {
    conversions.contains { $0.entity == entity && $0.property == property }
      || removals.contains { $0 == .attribute(property, of: entity) || $0 == .relationship(property, of: entity) }
      || mappings.contains { mapping in
        switch mapping.form {
        case .move: mapping.source == entity && mapping.renamed[property] != nil
        case .extract: mapping.source == entity && mapping.moved.contains(property)
        case .inline(let relationship):
          mapping.source == entity && relationship == property
            || mapping.target == entity && mapping.renamed[property] != nil
        }
      }
  }

  /// Whether closures read the objects of an entity.
  private func isRead(_ entity: String) -> Bool {
    mappings.contains { $0.source == entity && ($0.condition != nil || !$0.assignments.isEmpty) }
  }

  /// The names of an entity and its properties from step to step, as long as its objects stay in it.
  private func names(of entity: String) -> [PassingNames] {
    var names = [PassingNames(entity: entity)]
    for case .rename(let rename) in steps {
      if let next = names[names.count - 1].after(rename) { names.append(next) }
    }
    return names
  }

  /// The moves of an entity to others, each with the names until then and the later steps.
  private func nextMoves(of entity: String) -> [(names: PassingNames, move: EntityMapping, rest: LaterSteps)] {
    var names = PassingNames(entity: entity)
    var moves: [(names: PassingNames, move: EntityMapping, rest: LaterSteps)] = []
    for (place, step) in steps.enumerated() {
      switch step {
      case .rename(let rename): names = names.after(rename) ?? names
      case .mapping(let mapping):
        guard case .move = mapping.form, mapping.source == names.entity else { continue }
        moves.append((names, mapping, LaterSteps(Array(steps[(place + 1)...]), conversions, removals)))
      }
    }
    return moves
  }

  private init(_ steps: [Step], _ conversions: [AttributeConversion], _ removals: [Removal]) {
    self.steps = steps
    self.conversions = conversions
    self.removals = removals
  }
}

/// The name of an entity after some renames, and the new names of its properties.
private struct PassingNames {
  var entity: String
  var renames: [[String: String]] = []

  func property(_ name: String) -> String { renames.reduce(name) { name, renamed in renamed[name] ?? name } }

  /// The names after another rename. `nil` if the rename concerns another entity.
  func after(_ rename: Rename) -> PassingNames? {
    guard rename.entity == entity else { return nil }
    switch rename.subject {
    case .entity: return PassingNames(entity: rename.new, renames: renames)
    case .property(let old): return PassingNames(entity: entity, renames: renames + [[old: rename.new]])
    }
  }
}

/// A model of the last version, as the final form of an entity of an earlier version.
struct PassingModel {
  let entity: Entity
  /// The new names that later steps give properties, in the order of the steps.
  let renames: [[String: String]]

  /// The slot of the property that has this name at this point of the plan.
  func slot(_ name: String) -> Int? {
    entity.slot(everNamed: renames.reduce(name) { name, renamed in renamed[name] ?? name })
  }
}
