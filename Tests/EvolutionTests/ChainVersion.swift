import RepriseCore
import RepriseEventStore
import RepriseObjectModel
import RepriseTestSeeds

/// The models of a version of a program, with the plan that leads to them. All names are given once.
struct ChainVersion {
  struct Column {
    var name: String
    var isText = false
    var isOptional = false
    var isUnique = false
    /// Whether it was required once.
    var isWidened = false
    /// Whether each object has a value of its own. A merge gives the objects of the other kind the default of the last
    /// models, whatever was the default at the time: so such a column stays as it is.
    var isDistinct = true
    /// The names that the model declares with `was:`, the last one first.
    var former: [String] = []
  }

  /// An end of a relationship.
  struct End {
    var name: String
    /// The kind that it leads to.
    var kind: String
    var former: [String] = []
  }

  struct Kind {
    var name: String
    var former: [String] = []
    var columns: [Column]
    /// The to-one that leads to its part.
    var part: End?
    /// Of a part: the to-one that leads back.
    var whole: End?
    /// A to-one that leads to objects of another kind, and there the to-many that leads back.
    var reference: End?
    var members: End?
    /// A many-to-many, and its other end.
    var pairs: End?
    var paired: End?

    var isAlone: Bool { Kind.ends.allSatisfy { self[keyPath: $0] == nil } }

    static var ends: [WritableKeyPath<Kind, End?>] {
      [\.part, \.whole, \.reference, \.members, \.pairs, \.paired]
    }
  }

  static let shapes: [any Shape.Type] = [ShapeA.self, ShapeB.self, ShapeC.self, ShapeD.self, ShapeE.self]

  var kinds: [Kind]
  var plan: [Migration] = []
  /// What `was:` has renamed since the last migration, which the next one lists.
  var unlisted: [Rename] = []
  private(set) var names: Int

  init(_ random: inout SeededGenerator) {
    kinds = []
    names = 0
    for count in [3, 2, 2] {
      var kind = Kind(name: fresh("K"), columns: [])
      for _ in 0..<count {
        kind.columns.append(Column(name: fresh("c"), isOptional: Int.random(in: 0..<4, using: &random) == 0))
      }
      kinds.append(kind)
    }
    if Bool.random(using: &random) {
      kinds[0].reference = End(name: fresh("r"), kind: kinds[1].name)
      kinds[1].members = End(name: fresh("m"), kind: kinds[0].name)
    }
    if Bool.random(using: &random) {
      let (one, other) = Bool.random(using: &random) ? (1, 2) : (2, 1)
      kinds[one].pairs = End(name: fresh("p"), kind: kinds[other].name)
      kinds[other].paired = End(name: fresh("q"), kind: kinds[one].name)
    }
  }

  mutating func fresh(_ letter: String) -> String {
    names += 1
    return "\(letter)\(names)"
  }

  /// The place of the kind that an end leads to.
  func place(of end: End) -> Int { kinds.firstIndex { $0.name == end.kind } ?? 0 }

  // MARK: Models

  func models() -> [any PersistentModel.Type] {
    kinds.enumerated().map { place, kind in
      var properties = kind.columns.map { $0.property }
      if let part = kind.part { properties.append(toOne(part, inverse: \.whole)) }
      if let whole = kind.whole { properties.append(toOne(whole)) }
      if let reference = kind.reference { properties.append(toOne(reference, inverse: \.members)) }
      if let members = kind.members { properties.append(toMany(members)) }
      if let pairs = kind.pairs { properties.append(toMany(pairs, inverse: \.paired)) }
      if let paired = kind.paired { properties.append(toMany(paired)) }
      for column in kind.columns where column.isUnique { properties.append(.unique([IndexColumn(column.name)])) }
      return Self.shapes[place].named(kind.name, was: kind.former, properties)
    }
  }

  private func toOne(_ end: End, inverse: KeyPath<Kind, End?>? = nil) -> Property {
    func make<Model: PersistentModel>(_ model: Model.Type) -> Property {
      .toOne(end.name, model, inverse: inverse.flatMap { kinds[place(of: end)][keyPath: $0]?.name })
    }
    var property = make(Self.shapes[place(of: end)])
    property.formerNames = end.former
    return property
  }

  private func toMany(_ end: End, inverse: KeyPath<Kind, End?>? = nil) -> Property {
    func make<Model: PersistentModel>(_ model: Model.Type) -> Property {
      .toMany(end.name, model, inverse: inverse.flatMap { kinds[place(of: end)][keyPath: $0]?.name })
    }
    var property = make(Self.shapes[place(of: end)])
    property.formerNames = end.former
    return property
  }
}

extension ChainVersion.Column {
  fileprivate var property: Property {
    var property: Property =
      switch (isText, isOptional) {
      case (false, false): .attribute(name, Int.self)
      case (false, true): .attribute(name, Int?.self)
      case (true, false): .attribute(name, String.self)
      case (true, true): .attribute(name, String?.self)
      }
    property.formerNames = former
    return property
  }

  /// Makes a text of a number, or the other way round.
  func conversion(of kind: String) -> AttributeConversion {
    switch (isText, isOptional) {
    case (false, false): AttributeConversion(name, of: kind, from: Int.self, to: String.self) { "t\($0)" }
    case (false, true):
      AttributeConversion(name, of: kind, from: Int?.self, to: String?.self) { number in number.map { "t\($0)" } }
    case (true, false):
      AttributeConversion(name, of: kind, from: String.self, to: Int.self) { Int($0.dropFirst()) ?? -1 }
    case (true, true):
      AttributeConversion(name, of: kind, from: String?.self, to: Int?.self) { text in
        text.map { Int($0.dropFirst()) ?? -1 }
      }
    }
  }
}
