import RepriseObjectModel

// The name of a term's type for errors, and whether a value belongs to it.

extension CompiledTerm {
  func check(_ value: PropertyValue, _ term: Term) throws(FetchError) {
    let fits =
      switch (end, value) {
      case (_, .null): true
      case (.attribute(_, let kind), _): kind.accepts(value)
      case (.toOne(_, _, let target), .reference(let id)): id.name == target
      case (.count, .int): true
      case (.id(let entity), .reference(let id)): id.name == entity
      case (.computed(let computation), _): computation.kind.accepts(value)
      default: false
      }
    guard fits else {
      throw .wrongType(term: term.description, expected: typeName, found: value.typeName)
    }
  }

  var typeName: String {
    switch end {
    case .attribute(_, let kind): kind.zero.typeName
    case .toOne(_, _, let target): "an object of \(target.string)"
    case .count: PropertyValue.int(0).typeName
    case .id(let entity): "an object of \(entity.string)"
    case .computed(let computation): computation.kind.zero.typeName
    }
  }
}
