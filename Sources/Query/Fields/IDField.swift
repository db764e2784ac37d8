import RepriseObjectModel

/// The ID of an object in the closure of a fetch: `$0.id` of the fetched object, or `$0.owner.id` of a related one.
///
/// A condition on the fetched object's ID looks up only the named objects. The ID of a missing object matches nothing.
public struct IDField<Model: PersistentModel, Target: PersistentModel>: Sendable {
  private let term: Term

  init(_ path: FieldPath) { term = Term(path) }

  /// Holds for the object with this ID. With `nil`, holds if the relationship on the path is empty.
  public static func == (field: IDField, id: Target.ID?) -> Condition<Model> {
    Condition(.compare(field.term, .equal, id.map { .reference($0.any) } ?? .null))
  }

  /// Holds exactly if `==` does not hold.
  public static func != (field: IDField, id: Target.ID?) -> Condition<Model> { !(field == id) }

  /// Holds for objects created before the object with this ID.
  ///
  /// The fetch reads only the objects that match. With `$0.id.descending`, a limit does not reduce this: the fetch
  /// reads all objects that were created before the object with this ID.
  public static func < (field: IDField, id: Target.ID) -> Condition<Model> { compare(field, .less, id) }

  /// Holds for the object with this ID, and for objects created before it.
  public static func <= (field: IDField, id: Target.ID) -> Condition<Model> { compare(field, .lessOrEqual, id) }

  /// Holds for objects created after the object with this ID.
  ///
  /// Does not hold for `nil`. Use it with a limit to read pages in order of creation: `Fetch<Item> { $0.id > last.id
  /// }.limit(50)` is the next page. The fetch reads only the objects that it finds.
  public static func > (field: IDField, id: Target.ID) -> Condition<Model> { compare(field, .greater, id) }

  /// Holds for the object with this ID, and for objects created after it.
  public static func >= (field: IDField, id: Target.ID) -> Condition<Model> { compare(field, .greaterOrEqual, id) }

  private static func compare(_ field: IDField, _ comparison: Comparison, _ id: Target.ID) -> Condition<Model> {
    Condition(.compare(field.term, comparison, .reference(id.any)))
  }

  /// Holds if both are the same object, or neither exists.
  public static func == (left: IDField, right: IDField) -> Condition<Model> {
    Condition(.compareTerms(left.term, .equal, right.term))
  }

  /// Holds exactly if `==` does not hold.
  public static func != (left: IDField, right: IDField) -> Condition<Model> { !(left == right) }

  /// Holds for the objects with these IDs.
  public func isIn(_ ids: some Sequence<Target.ID>) -> Condition<Model> {
    Condition(.isIn(term, ids.map { .reference($0.any) }))
  }
}

/// Sort keys by ID, whose order is the order of creation.
extension IDField where Model == Target {
  /// Sorts by creation, oldest first: the order of a fetch without a sort key.
  public var ascending: SortKey<Model> { SortKey(term: term, isAscending: true) }

  /// Sorts by creation, youngest first. No index serves this order, so a limit does not reduce the objects read.
  public var descending: SortKey<Model> { SortKey(term: term, isAscending: false) }
}

extension IDField: SortKeyConvertible where Model == Target {
  /// Sorts by creation, oldest first.
  public var sortKey: SortKey<Model> { ascending }
}

extension FieldSet {
  /// The ID of the fetched object.
  public var id: IDField<Model, Model> { IDField(.root) }
}

extension ToOneField {
  /// The ID of the object at the other end; `nil` if the relationship is empty.
  public var id: IDField<Model, Target> { IDField(path) }
}
