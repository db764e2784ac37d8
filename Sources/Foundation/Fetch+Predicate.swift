import RepriseObjectModel
public import RepriseQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Fetch {
  /// The objects for which a predicate holds: `try Fetch(#Predicate<Item> { $0.name == "Ada" })`.
  ///
  /// - Throws: ``FetchError/notTranslatable(part:reason:)``, as ``Condition/init(_:)-(Predicate<Model>)``.
  public init(_ predicate: Predicate<Model>) throws {
    let condition = try Condition(predicate)
    self = Fetch().filter { _ in condition }
  }
}

extension Condition {
  /// The condition that holds exactly where a predicate does, served by indexes as any other.
  ///
  /// Translated are properties of the model, also behind optional chaining; `==`, `!=`, `<` and its like; `&&`, `||`,
  /// `!`, `?:`, `??`, `if let` and `flatMap`; `contains` and `starts(with:)` of texts, by character as in Swift;
  /// `contains` of ranges and collections; `contains(where:)`, `contains`, `allSatisfy`, `count` and `isEmpty` of
  /// to-many relationships. NaN equals nothing, as in Swift. Enums are the same if their raw values are, and objects if
  /// their IDs are.
  ///
  /// - Throws: ``FetchError/notTranslatable(part:reason:)`` for anything else: computed properties, arithmetic, which
  ///   stops the program on overflow where a condition has nil, `!` behind optionals, casts, an outer object within
  ///   `contains(where:)`, types with a `==` or `<` of their own, and models by hand that do not list their key paths.
  public init(_ predicate: Predicate<Model>) throws {
    var translation = PredicateTranslation()
    let steps = try translation.steps(predicate, Model.self)
    self.init(steps: steps)
  }
}
