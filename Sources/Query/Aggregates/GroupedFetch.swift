import RepriseObjectModel

/// The objects of a fetch in groups, with aggregates of each: SQL's `select … group by … having … order by`.
///
/// ```swift
/// let totals = Fetch<Item> { $0.isSold == true }
///   .grouped { $0.owner.name }
///   .select { ($0.price.sum, $0.price.maximum) }
///   .having { $0.objectCount > 3 }
///   .sorted { $0.price.sum.descending }
/// for group in try context.fetch(totals) { print(group.key ?? "nobody", group.values.0) }
/// ```
///
/// You can also group by a ``SectionRule`` of your own, as in `grouped { $0.year.section(by: .decade) }`, or by days.
///
/// A grouped fetch is a value, like ``Fetch``: you can store and send it. Properties are referred to by the model's
/// names, which a context checks when it runs the fetch.
///
/// Objects are in one group if their keys compare equal, as in a ``Condition``. Texts are compared by their composed
/// forms, -0 equals 0, and NaN equals NaN. The key of a group is the value of its oldest object. If you give no order,
/// groups are sorted by their keys, with `nil` first. Otherwise, the keys break ties.
public struct GroupedFetch<Model: PersistentModel, Key: Sendable, Values: Sendable>: Sendable {
  package let fetch: Fetch<Model>
  package let keys: [GroupTerm]
  package let columns: [AggregateTerm]
  package var condition: GroupCondition<Model>?
  package var order: [GroupOrderTerm] = []
  package var limit: Int?
  package var offset = 0
  package let key: @Sendable ([PropertyValue]) throws(FetchError) -> Key
  package let values: @Sendable ([PropertyValue]) throws(FetchError) -> Values

  /// Selects one aggregate for each group. Replaces an earlier selection.
  public func select<Value: AttributeValue>(
    _ aggregate: (Model.Fields) -> Aggregate<Model, Value>
  ) -> GroupedFetch<Model, Key, Value> {
    with(Columns(of: aggregate(Model.Fields(.root))))
  }

  /// Selects aggregates for each group, in this order. Replaces an earlier selection.
  public func select<each Value: AttributeValue>(
    _ aggregates: (Model.Fields) -> (repeat Aggregate<Model, each Value>)
  ) -> GroupedFetch<Model, Key, (repeat each Value)> {
    with(Columns(aggregates))
  }

  private func with<New: Sendable>(_ columns: Columns<New>) -> GroupedFetch<Model, Key, New> {
    var grouped = GroupedFetch<Model, Key, New>(
      fetch: fetch, keys: keys, columns: columns.terms, key: key, values: columns.values)
    grouped.condition = condition
    grouped.order = order
    grouped.limit = limit
    grouped.offset = offset
    return grouped
  }

  /// Keeps only groups that meet the condition, in addition to earlier conditions.
  ///
  /// Put conditions on single objects into the ``Fetch``.
  public func having(_ condition: (Model.Fields) -> GroupCondition<Model>) -> GroupedFetch {
    var grouped = self
    let condition = condition(Model.Fields(.root))
    grouped.condition = self.condition.map { $0 && condition } ?? condition
    return grouped
  }

  /// Sorts groups by these aggregates and keys, the first one first.
  ///
  /// Replaces an earlier order. If you sort by a field that the objects are not grouped by, the fetch throws
  /// ``FetchError/notGrouped(_:)`` when it runs.
  public func sorted<each Order: GroupOrder>(_ order: (Model.Fields) -> (repeat each Order)) -> GroupedFetch {
    var grouped = self
    grouped.order = []
    for term in repeat each order(Model.Fields(.root)) { grouped.order.append(term._groupOrder) }
    return grouped
  }

  /// Limits the result to `limit` groups, after skipping the first `offset`.
  ///
  /// If a number is negative, the fetch throws ``FetchError/negativeLimit(_:)`` or ``FetchError/negativeOffset(_:)``
  /// when it runs.
  public func limit(_ limit: Int, offset: Int = 0) -> GroupedFetch {
    var grouped = self
    grouped.limit = limit
    grouped.offset = offset
    return grouped
  }

  /// Unavailable: use ``limit(_:offset:)``.
  @available(*, unavailable, message: "to skip groups, use a limit with an offset: 'limit(20, offset: 10)'")
  public func offset(_ count: Int) -> GroupedFetch { self }
}

extension Fetch {
  /// Groups the objects by one or several keys, with one group for each key or combination of keys.
  ///
  /// The order and the sections of the fetch have no effect. If the fetch has a limit, only the objects within it are
  /// grouped, and the order selects them.
  public func grouped<each Key: GroupKey>(
    by keys: (Model.Fields) -> (repeat each Key)
  ) -> GroupedFetch<Model, (repeat (each Key).Key), Void> {
    var terms: [GroupTerm] = []
    for key in repeat each keys(Model.Fields(.root)) { terms.append(key._groupTerm) }
    let names = terms.map(\.term.description)
    return GroupedFetch(
      fetch: self, keys: terms, columns: [],
      key: { (stored: [PropertyValue]) throws(FetchError) in
        var place = 0
        func next<One: GroupKey>(_ type: One.Type) throws(FetchError) -> One.Key {
          defer { place += 1 }
          guard let key = One._key(stored[place]) else {
            throw .misread(names[place], stored[place], of: One.Key.self)
          }
          return key
        }
        return (repeat try next((each Key).self))
      }, values: { _ in })
  }
}

/// The aggregates of the columns, and the conversion of their results to typed values.
package struct Columns<Values: Sendable> {
  package let terms: [AggregateTerm]
  package let values: @Sendable ([PropertyValue]) throws(FetchError) -> Values

  package init<Model: PersistentModel, each Value: AttributeValue>(
    _ aggregates: (Model.Fields) -> (repeat Aggregate<Model, each Value>)
  ) where Values == (repeat each Value) {
    var terms: [AggregateTerm] = []
    for aggregate in repeat each aggregates(Model.Fields(.root)) { terms.append(aggregate.term) }
    self.terms = terms
    values = { [terms] (stored: [PropertyValue]) throws(FetchError) in
      var place = 0
      func next<One: AttributeValue>(_ type: One.Type) throws(FetchError) -> One {
        defer { place += 1 }
        guard let value = One.from(stored[place]) else {
          throw .misread(terms[place].description, stored[place], of: One.self)
        }
        return value
      }
      return (repeat try next((each Value).self))
    }
  }
}

extension Columns where Values: AttributeValue {
  /// A single column.
  package init<Model: PersistentModel>(of aggregate: Aggregate<Model, Values>) {
    let term = aggregate.term
    terms = [term]
    values = { (stored: [PropertyValue]) throws(FetchError) in
      guard let value = Values.from(stored[0]) else {
        throw .misread(term.description, stored[0], of: Values.self)
      }
      return value
    }
  }
}

/// One group of objects.
public struct Group<Key, Values> {
  /// The key that the objects of the group share; a tuple if there are several keys.
  public let key: Key
  /// The number of objects in the group.
  public let count: Int
  /// The selected aggregates: a tuple if there are several, `Void` if there are none.
  public let values: Values

  package init(key: Key, count: Int, values: Values) {
    self.key = key
    self.count = count
    self.values = values
  }
}

extension Group: Sendable where Key: Sendable, Values: Sendable {}

extension FetchError {
  /// - Parameters:
  ///   - type: The type of the property in the model.
  ///   - object: The object that has the value; `nil` if several may have it.
  package static func misread(
    _ term: String, _ value: PropertyValue, of type: Any.Type, in object: AnyObjectID? = nil
  ) -> FetchError {
    let text = value.text(as: type as? any AttributeValue.Type)
    return .notReadable(
      "'\(term)' is \(text) for \(object?.description ?? "some objects"). Its type in the model, \(type), cannot hold "
        + "this value. Assign another value, or declare a type that can hold it.")
  }
}
