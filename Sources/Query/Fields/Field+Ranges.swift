import RepriseObjectModel

/// Tests of ranges and sets, from either side: `$0.value.isIn(1...5)`, `(1...5).contains($0.value)` or
/// `names.contains($0.name)`.
///
/// `nil` is in no range and no set.
extension Field where Value: Comparable {
  /// Holds if the value lies in the range, including both bounds.
  ///
  /// Costs two comparisons, however many values the range contains.
  public func isIn(_ range: ClosedRange<Value>) -> Condition<Model> {
    self >= range.lowerBound && self <= range.upperBound
  }

  /// Holds if the value lies in the range, including the lower bound and excluding the upper one.
  ///
  /// Costs two comparisons, however many values the range contains.
  public func isIn(_ range: Range<Value>) -> Condition<Model> { self >= range.lowerBound && self < range.upperBound }

  /// Holds if the value is greater than or equal to the bound: `field >= bound`.
  public func isIn(_ range: PartialRangeFrom<Value>) -> Condition<Model> { self >= range.lowerBound }

  /// Holds if the value is less than or equal to the bound: `field <= bound`.
  public func isIn(_ range: PartialRangeThrough<Value>) -> Condition<Model> { self <= range.upperBound }

  /// Holds if the value is less than the bound: `field < bound`.
  public func isIn(_ range: PartialRangeUpTo<Value>) -> Condition<Model> { self < range.upperBound }
}

extension ClosedRange where Bound: AttributeValue {
  /// Holds if the range contains the field's value: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension Range where Bound: AttributeValue {
  /// Holds if the range contains the field's value: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension PartialRangeFrom where Bound: AttributeValue {
  /// Holds if the range contains the field's value: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension PartialRangeThrough where Bound: AttributeValue {
  /// Holds if the range contains the field's value: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension PartialRangeUpTo where Bound: AttributeValue {
  /// Holds if the range contains the field's value: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension Sequence where Element: AttributeValue {
  /// Holds if the attribute has one of these values: `field.isIn(values)`.
  public func contains<Model>(_ field: Field<Model, Element>) -> Condition<Model> { field.isIn(self) }
}

extension Sequence where Element: PersistentModel {
  /// Holds if the relationship refers to one of these objects: `field.isIn(objects)`.
  ///
  /// Keeps the IDs of the objects, not the objects.
  public func contains<Model>(_ field: ToOneField<Model, Element>) -> Condition<Model> { field.isIn(self) }
}

extension Sequence {
  /// Holds if the relationship refers to an object with one of these IDs: `field.isIn(ids)`.
  public func contains<Model, Target>(_ field: ToOneField<Model, Target>) -> Condition<Model>
  where Element == ObjectID<Target> { field.isIn(self) }

  /// Holds if the object has one of these IDs: `field.isIn(ids)`.
  public func contains<Model, Target>(_ field: IDField<Model, Target>) -> Condition<Model>
  where Element == ObjectID<Target> { field.isIn(self) }
}
