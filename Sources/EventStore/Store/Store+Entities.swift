import RepriseObjectModel

extension Store {
  /// The descriptions of the models that the store was opened with, by which tools find their properties.
  public var entities: [Entity] { map.schema.entities.filter { !$0.isLink } }
}
