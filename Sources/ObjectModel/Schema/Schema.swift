/// The models of a store.
///
/// Checked when a store is opened with it: every relationship's target must be in it and have an inverse.
public struct Schema: Sendable {
  /// In the order given, each once.
  public let entities: [Entity]

  /// The schema of these models.
  public init(_ models: any PersistentModel.Type...) { self.init(models) }

  /// The schema of these models.
  public init(_ models: [any PersistentModel.Type]) {
    var entities: [Entity] = []
    for model in models {
      let entity = model.entity
      if !entities.contains(where: { $0 === entity }) { entities.append(entity) }
    }
    self.entities = entities
  }
}
