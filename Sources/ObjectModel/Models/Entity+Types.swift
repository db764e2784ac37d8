extension Entity {
  /// The Swift types of properties, by name.
  package func types(of names: [String]) -> ValueTypes {
    ValueTypes(names.map { name in slot(named: name).flatMap { properties[$0].attribute?.type } })
  }
}

extension RuleViolation {
  /// The same violation, with a message that shows values in the form of the models' types.
  package func typed(by models: ResolvedSchema) -> RuleViolation {
    var violation = self
    if let entity = models.byName[object.name] { violation.types = entity.types(of: properties) }
    return violation
  }
}
