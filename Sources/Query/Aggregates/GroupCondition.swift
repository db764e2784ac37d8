import RepriseObjectModel

/// A condition on groups of objects: SQL's `having`.
///
/// Make conditions from aggregates (`$0.price.sum > 100`), and combine them with `&&`, `||` and `!`. If an aggregate is
/// `nil`, `== nil` holds, and `<`, `<=`, `>` and `>=` do not hold. `!` holds exactly if its operand does not.
public struct GroupCondition<Model: PersistentModel>: Hashable, Sendable {
  let steps: [GroupStep]

  fileprivate init(_ comparison: Comparison, _ term: AggregateTerm, _ value: PropertyValue) {
    steps = [.compare(term, comparison, value)]
  }

  private init(steps: [GroupStep]) { self.steps = steps }

  /// Holds if both conditions hold.
  public static func && (left: GroupCondition, right: GroupCondition) -> GroupCondition {
    GroupCondition(steps: left.steps + right.steps + [.and])
  }

  /// Holds if at least one of the conditions holds.
  public static func || (left: GroupCondition, right: GroupCondition) -> GroupCondition {
    GroupCondition(steps: left.steps + right.steps + [.or])
  }

  /// Holds if the condition does not hold.
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
  /// Holds if the aggregate equals this value.
  public static func == (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.equal, aggregate.term, value.propertyValue)
  }

  /// Holds if the aggregate differs from this value.
  public static func != (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.notEqual, aggregate.term, value.propertyValue)
  }

  /// Holds if the aggregate is not `nil` and is less than this value.
  public static func < <Wrapped: Comparable>(aggregate: Aggregate, value: Wrapped) -> GroupCondition<Model>
  where Value == Wrapped? {
    GroupCondition(.less, aggregate.term, value.propertyValue)
  }

  /// Holds if the aggregate is not `nil` and is less than or equal to this value.
  public static func <= <Wrapped: Comparable>(aggregate: Aggregate, value: Wrapped) -> GroupCondition<Model>
  where Value == Wrapped? {
    GroupCondition(.lessOrEqual, aggregate.term, value.propertyValue)
  }

  /// Holds if the aggregate is not `nil` and is greater than this value.
  public static func > <Wrapped: Comparable>(aggregate: Aggregate, value: Wrapped) -> GroupCondition<Model>
  where Value == Wrapped? {
    GroupCondition(.greater, aggregate.term, value.propertyValue)
  }

  /// Holds if the aggregate is not `nil` and is greater than or equal to this value.
  public static func >= <Wrapped: Comparable>(aggregate: Aggregate, value: Wrapped) -> GroupCondition<Model>
  where Value == Wrapped? {
    GroupCondition(.greaterOrEqual, aggregate.term, value.propertyValue)
  }
}

extension Aggregate where Value: Comparable {
  /// Holds if the aggregate is less than this value.
  public static func < (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.less, aggregate.term, value.propertyValue)
  }

  /// Holds if the aggregate is less than or equal to this value.
  public static func <= (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.lessOrEqual, aggregate.term, value.propertyValue)
  }

  /// Holds if the aggregate is greater than this value.
  public static func > (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.greater, aggregate.term, value.propertyValue)
  }

  /// Holds if the aggregate is greater than or equal to this value.
  public static func >= (aggregate: Aggregate, value: Value) -> GroupCondition<Model> {
    GroupCondition(.greaterOrEqual, aggregate.term, value.propertyValue)
  }
}

extension Fetch {
  /// Unavailable: a condition on an aggregate belongs in ``GroupedFetch/having(_:)``.
  @available(
    *, unavailable, message: "an aggregate such as 'count' is about groups: use it with 'grouped' and 'having'"
  )
  public init(_ condition: (Model.Fields) -> GroupCondition<Model>) { self.init() }
}
