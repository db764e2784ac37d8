/// The models of a store.
///
/// Checked when a store is opened with it: every relationship's target must be in it and have an inverse.
public struct Schema: Sendable {
  /// In the order given, each once.
  public let entities: [Entity]

  /// The schema of these models.
  // A pack: the metadata of an array of models would be instantiated at each start of a process.
  public init<each Model: PersistentModel>(_ models: repeat (each Model).Type) {
    var entities: [Entity] = []
    for model in repeat each models { Self.add(model.entity, to: &entities) }
    self.entities = entities
  }

  /// The schema of these models.
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
