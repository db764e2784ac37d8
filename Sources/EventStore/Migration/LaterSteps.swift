import RepriseObjectModel

/// What the migrations of a plan behind one of them are about.
///
/// The models are those of the last version. What an entity is in between follows from them and from these steps, so
/// that a store that skips versions comes to the same as one that had each of them.
struct LaterSteps {
  private let mappings: [EntityMapping]
  private let conversions: [AttributeConversion]
  private let removals: [Removal]

  init(of plan: MigrationPlan, after version: Int) {
    let migrations = plan.migrations.filter { $0.version > version }
    mappings = migrations.flatMap(\.mappings)
    conversions = migrations.flatMap(\.conversions)
    removals = migrations.flatMap(\.removals)
  }

  /// Whether a mapping or a conversion is about an entity, so that it does not go yet.
  func concern(_ entity: String) -> Bool {
    mappings.contains { $0.source == entity || $0.target == entity } || conversions.contains { $0.entity == entity }
  }

  /// Whether a step needs a property of an entity: it names it, or it has a closure, which may read any.
  ///
  /// - Parameter inClosures: Whether closures count.
  func need(_ property: String, of entity: String, inClosures: Bool = true) -> Bool {
    name(property, of: entity)
      || inClosures && mappings.contains { $0.source == entity && ($0.condition != nil || !$0.assignments.isEmpty) }
      || nextMoves(of: entity).contains { next in
        next.rest.need(next.move.name(property), of: next.move.target, inClosures: inClosures)
      }
  }

  /// Whether a step names a property of an entity.
  func name(_ property: String, of entity: String) -> Bool {
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

  /// The model that an entity comes to; `nil` if it has none, as what becomes a part of something else.
  func model(of entity: String, in models: ResolvedSchema) -> PassingModel? {
    if let model = models.entities.first(where: { !$0.isLink && $0.isEverNamed(entity) }) {
      return PassingModel(entity: model, renames: [])
    }
    for next in nextMoves(of: entity) {
      guard let model = next.rest.model(of: next.move.target, in: models) else { continue }
      return PassingModel(entity: model.entity, renames: [next.move.renamed] + model.renames)
    }
    return nil
  }

  /// The moves of an entity to others, each with the steps behind it.
  private func nextMoves(of entity: String) -> [(move: EntityMapping, rest: LaterSteps)] {
    mappings.indices.compactMap { place in
      guard case .move = mappings[place].form, mappings[place].source == entity else { return nil }
      return (mappings[place], LaterSteps(Array(mappings[(place + 1)...]), conversions, removals))
    }
  }

  private init(_ mappings: [EntityMapping], _ conversions: [AttributeConversion], _ removals: [Removal]) {
    self.mappings = mappings
    self.conversions = conversions
    self.removals = removals
  }
}

/// A model of the last version, as an entity of an earlier one comes to it.
struct PassingModel {
  let entity: Entity
  /// What later moves give other names, in their order.
  let renames: [[String: String]]

  /// The slot of a property that has this name at the moment.
  func slot(_ name: String) -> Int? {
    entity.slot(everNamed: renames.reduce(name) { name, renamed in renamed[name] ?? name })
  }
}
