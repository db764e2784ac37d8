import RepriseObjectModel

/// A condition on groups of objects: SQL's `having`. Made from aggregates (`$0.price.sum > 100`), and composed with
/// `&&`, `||` and `!`.
///
/// Of an aggregate that is nil `==` nil holds, and none of `<`, `<=`, `>`, `>=`. `!` is the exact complement.
public struct GroupCondition<Model: PersistentModel>: Hashable, Sendable {
  let steps: [GroupStep]

  fileprivate init(_ comparison: Comparison, _ term: AggregateTerm, _ value: PropertyValue) {
    steps = [.compare(term, comparison, value)]
  }

  private init(steps: [GroupStep]) { self.steps = steps }

  /// Holds where both conditions hold.
  public static func && (left: GroupCondition, right: GroupCondition) -> GroupCondition {
    GroupCondition(steps: left.steps + right.steps + [.and])
  }

  /// Holds where at least one of them holds.
  public static func || (left: GroupCondition, right: GroupCondition) -> GroupCondition {
    GroupCondition(steps: left.steps + right.steps + [.or])
  }

  /// Holds exactly where the other does not.
  public static prefix func ! (condition: GroupCondition) -> GroupCondition {
    GroupCondition(steps: condition.steps + [.not])
  }
}

/// One step of a condition in postfix order, so that evaluating it never recurses.
enum GroupStep: Hashable, Sendable {
  case compare(AggregateTerm, Comparison, PropertyValue)
  case not
  case and
  case or
}

extension Aggregate {
  /// Holds where the aggregate has this value.
  public static func == (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.equal, aggregate.term, value.propertyValue)
  }

  /// Holds where the aggregate has another value.
  public static func != (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.notEqual, aggregate.term, value.propertyValue)
  }

  /// Holds where there is a value and it is less.
  public static func < <Wrapped: Comparable>(aggregate: Aggregate, value: Wrapped) -> GroupCondition<Model>
  where Value == Wrapped? {
    GroupCondition(.less, aggregate.term, value.propertyValue)
  }

  /// Holds where there is a value and it is not greater.
  public static func <= <Wrapped: Comparable>(aggregate: Aggregate, value: Wrapped) -> GroupCondition<Model>
  where Value == Wrapped? {
    GroupCondition(.lessOrEqual, aggregate.term, value.propertyValue)
  }

  /// Holds where there is a value and it is greater.
  public static func > <Wrapped: Comparable>(aggregate: Aggregate, value: Wrapped) -> GroupCondition<Model>
  where Value == Wrapped? {
    GroupCondition(.greater, aggregate.term, value.propertyValue)
  }

  /// Holds where there is a value and it is not less.
  public static func >= <Wrapped: Comparable>(aggregate: Aggregate, value: Wrapped) -> GroupCondition<Model>
  where Value == Wrapped? {
    GroupCondition(.greaterOrEqual, aggregate.term, value.propertyValue)
  }
}

extension Aggregate where Value: Comparable {
  /// Holds where the aggregate is less.
  public static func < (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.less, aggregate.term, value.propertyValue)
  }

  /// Holds where the aggregate is not greater.
  public static func <= (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.lessOrEqual, aggregate.term, value.propertyValue)
  }

  /// Holds where the aggregate is greater.
  public static func > (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.greater, aggregate.term, value.propertyValue)
  }

  /// Holds where the aggregate is not less.
  public static func >= (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.greaterOrEqual, aggregate.term, value.propertyValue)
  }
}

extension Fetch {
  /// No condition.
  @available(
    *, unavailable, message: "an aggregate such as 'count' is of groups of objects; see 'grouped' and 'having'"
  )
  public init(_ condition: (Model.Fields) -> GroupCondition<Model>) { self.init() }
}
