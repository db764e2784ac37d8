import RepriseObjectModel

/// A sort order of groups: a key that the objects are grouped by, or an aggregate.
///
/// For example, `$0.name.ascending` or `$0.price.sum.descending`. Only the library implements this protocol.
public protocol GroupOrder: Sendable {
  /// The key or aggregate, and the direction.
  var _groupOrder: GroupOrderTerm { get }
}

/// A key or aggregate to sort groups by, and the direction.
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

/// A sort order of groups by an aggregate or by a function such as a section: `$0.price.sum.descending`.
public struct AggregateOrder<Model: PersistentModel>: GroupOrder, Hashable {
  /// Implements ``GroupOrder``.
  public let _groupOrder: GroupOrderTerm

  init(term: GroupOrderTerm.Subject, isAscending: Bool) {
    _groupOrder = GroupOrderTerm(subject: term, isAscending: isAscending)
  }
}
