/// The models of a store.
///
/// Opening a store checks them. For example, every relationship's target must be among the models and have an inverse.
public struct Schema: Sendable {
  /// The models' descriptions in the order given, each once.
  public let entities: [Entity]

  /// Makes the schema of these models. Repeated models count once.
  // A parameter pack, because the metadata of an array of models would be instantiated at each start of a process.
  public init<each Model: PersistentModel>(_ models: repeat (each Model).Type) {
    var entities: [Entity] = []
    for model in repeat each models { Self.add(model.entity, to: &entities) }
    self.entities = entities
  }

  /// Makes the schema of these models. Repeated models count once.
  public init(_ models: [any PersistentModel.Type]) {
    var entities: [Entity] = []
    for model in models { Self.add(model.entity, to: &entities) }
    self.entities = entities
  }

  package init(entities: [Entity]) { self.entities = entities }

  private static func add(_ entity: Entity, to entities: inout [Entity]) {
    if !entities.contains(where: { $0 === entity }) { entities.append(entity) }
  }
}
