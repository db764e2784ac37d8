import RepriseCore

/// The unique rules of a store that an export in JSON lacks.
///
/// The models of a tool leave out each index in an order that this program does not know, and so its rule.
package struct MissingRules {
  /// Each rule with its entity.
  private let names: [String]

  package init(of store: Store) {
    let stored = store.map.stored
    names = store.warnings.compactMap { warning in
      guard case .index(let name, let entity) = warning,
        case .columns(_, let uniqueness)? = stored.entity(named: entity)?.property(named: name)?.role,
        uniqueness != .none
      else { return nil }
      return "\(entity) \(name)"
    }
  }

  /// A sentence for the user. `nil` if the export has all rules.
  package var text: String? {
    if names.isEmpty { return nil }
    return "The export lacks unique rules, because this program sorts their texts in another order: "
      + "\(names.map(PlainText.line).joined(separator: ", ")). A store that is made of the export accepts equal values."
  }
}
