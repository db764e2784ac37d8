import RepriseObjectModel

/// The ID of an object as a fetch names it: `$0.id` of the fetched one, `$0.owner.id` of one that it refers to.
///
/// A condition on the ID of the fetched object is served by looking those objects up, however many others there are. An
/// ID of an object that does not exist, or that a store has never seen, matches nothing.
public struct IDField<Model: PersistentModel, Target: PersistentModel>: Sendable {
  private let term: Term

  init(_ path: FieldPath) { term = Term(path) }

  /// Holds of the object with this ID; of nil, where there is no object: behind a missing link.
  public static func == (field: IDField, id: Target.ID?) -> Condition<Model> {
    Condition(.compare(field.term, .equal, id.map { .reference($0.any) } ?? .null))
  }

  /// Holds exactly where `==` does not.
  public static func != (field: IDField, id: Target.ID?) -> Condition<Model> { !(field == id) }

  /// Holds of the objects born before this one. Together with a limit this is how a program pages from the last object
  /// that it has, in the order of birth: it costs the objects that it finds.
  public static func < (field: IDField, id: Target.ID) -> Condition<Model> { compare(field, .less, id) }

  /// Holds of this object, and of those born before it.
  public static func <= (field: IDField, id: Target.ID) -> Condition<Model> { compare(field, .lessOrEqual, id) }

  /// Holds of the objects born after this one: `Fetch<Item> { $0.id > last.id }.limit(50)` is the next page, and costs
  /// the objects that it finds. Not of nil.
  public static func > (field: IDField, id: Target.ID) -> Condition<Model> { compare(field, .greater, id) }

  /// Holds of this object, and of those born after it.
  public static func >= (field: IDField, id: Target.ID) -> Condition<Model> { compare(field, .greaterOrEqual, id) }

  private static func compare(_ field: IDField, _ comparison: Comparison, _ id: Target.ID) -> Condition<Model> {
    Condition(.compare(field.term, comparison, .reference(id.any)))
  }

  /// Holds where both are the same object, or neither is there.
  public static func == (left: IDField, right: IDField) -> Condition<Model> {
    Condition(.compareTerms(left.term, .equal, right.term))
  }

  /// Holds exactly where `==` does not.
  public static func != (left: IDField, right: IDField) -> Condition<Model> { !(left == right) }

  /// Holds of the objects with these IDs.
  public func isIn(_ ids: some Sequence<Target.ID>) -> Condition<Model> {
    Condition(.isIn(term, ids.map { .reference($0.any) }))
  }
}

/// The order of IDs is the order of birth.
extension IDField where Model == Target {
  /// By birth, oldest first: the order of a fetch that is not sorted.
  public var ascending: SortKey<Model> { SortKey(term: term, isAscending: true) }

  /// By birth, youngest first.
  public var descending: SortKey<Model> { SortKey(term: term, isAscending: false) }
}

extension IDField: SortKeyConvertible where Model == Target {
  /// By birth, oldest first.
  public var sortKey: SortKey<Model> { ascending }
}

extension FieldSet {
  /// The ID of the fetched object.
  public var id: IDField<Model, Model> { IDField(.root) }
}

extension ToOneField {
  /// The ID of the object at the other end; nil where the relationship leads nowhere.
  public var id: IDField<Model, Target> { IDField(path) }
}
