import RepriseObjectModel
public import RepriseQuery

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Fetch {
  /// Makes a fetch of the objects that meet a predicate: `try Fetch(#Predicate<Item> { $0.name == "Ada" })`.
  ///
  /// - Throws: ``FetchError/notTranslatable(part:reason:)`` if the predicate uses an operation that
  ///   ``Condition/init(_:)-(Predicate<Model>)`` cannot translate.
  public init(_ predicate: Predicate<Model>) throws {
    let condition = try Condition(predicate)
    self = Fetch().filter { _ in condition }
  }
}

extension Condition {
  /// Translates a predicate into a condition that holds for exactly the same objects.
  ///
  /// Fetches use indexes for the condition, as for any other. A predicate may use:
  ///
  /// - properties of the model, also with optional chaining
  /// - `==`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`, `!`, `?:`, `??`, `if let` and `flatMap`
  /// - `contains` and `starts(with:)` of texts, which compare characters as in Swift
  /// - `contains` of ranges and collections
  /// - `contains(where:)`, `contains`, `allSatisfy`, `count` and `isEmpty` of to-many relationships
  ///
  /// NaN equals nothing, as in Swift. Enums are equal if their raw values are equal. Objects are equal if their IDs are
  /// equal.
  ///
  /// - Throws: ``FetchError/notTranslatable(part:reason:)`` for anything else. Examples are computed properties, `!`
  ///   after optionals, casts, and an outer object within `contains(where:)`. Further examples are types with a custom
  ///   `==` or `<`, and handwritten models without key paths. Arithmetic also throws: an overflow traps in a predicate,
  ///   but has the value `nil` in a condition.
  public init(_ predicate: Predicate<Model>) throws {
    var translation = PredicateTranslation()
    let steps = try translation.steps(predicate, Model.self)
    self.init(steps: steps)
  }
}
