import RepriseObjectModel

/// What groups are sorted by: a sort key, as `$0.name.ascending`, of a field that the objects are grouped by; or an
/// aggregate, as in `$0.price.sum.descending`.
///
/// Implemented by the library only.
public protocol GroupOrder: Sendable {
  /// The key or aggregate, and the direction.
  var _groupOrder: GroupOrderTerm { get }
}

/// The key or aggregate that groups are sorted by, and the direction.
public struct GroupOrderTerm: Hashable, Sendable {
  package enum Subject: Hashable, Sendable {
    case key(GroupTerm)
    case aggregate(AggregateTerm)
  }

  package let subject: Subject
  package let isAscending: Bool
}

extension SortKey: GroupOrder {
  /// Implements ``GroupOrder``.
  public var _groupOrder: GroupOrderTerm {
    GroupOrderTerm(subject: .key(GroupTerm(term, .value)), isAscending: isAscending)
  }
}

/// An aggregate, or a function that objects are grouped by, to sort groups by: `$0.price.sum.descending`.
public struct AggregateOrder<Model: PersistentModel>: GroupOrder, Hashable {
  /// Implements ``GroupOrder``.
  public let _groupOrder: GroupOrderTerm

  init(term: GroupOrderTerm.Subject, isAscending: Bool) {
    _groupOrder = GroupOrderTerm(subject: term, isAscending: isAscending)
  }
}
