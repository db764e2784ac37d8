extension Entity {
  /// The rules of an attribute that a value of an object breaks.
  package func violations(of value: PropertyValue, at slot: Int, _ object: AnyObjectID) -> [RuleViolation] {
    guard let rules = properties[slot].attribute?.rules, !rules.isEmpty else { return [] }
    return rules.filter { !$0.isKept(by: value) }.map {
      RuleViolation(
        object: object, properties: [properties[slot].name], values: [value], rule: $0.rule,
        types: ValueTypes([properties[slot].type]))
    }
  }
}
