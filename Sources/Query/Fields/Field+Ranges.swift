import RepriseObjectModel

/// Sets and ranges on either side: `$0.value.isIn(1...5)`, `(1...5).contains($0.value)`, `names.contains($0.name)`. nil
/// is in none of them.
extension Field where Value: Comparable {
  /// Holds where the value is not less than the lower bound and not greater than the upper one. Costs what two
  /// comparisons cost, however many values the range has.
  public func isIn(_ range: ClosedRange<Value>) -> Condition<Model> {
    self >= range.lowerBound && self <= range.upperBound
  }

  /// Holds where the value is not less than the lower bound, and less than the upper one. Costs what two comparisons
  /// cost, however many values the range has.
  public func isIn(_ range: Range<Value>) -> Condition<Model> { self >= range.lowerBound && self < range.upperBound }

  /// Holds where the value is not less than the bound: `field >= bound`.
  public func isIn(_ range: PartialRangeFrom<Value>) -> Condition<Model> { self >= range.lowerBound }

  /// Holds where the value is not greater than the bound: `field <= bound`.
  public func isIn(_ range: PartialRangeThrough<Value>) -> Condition<Model> { self <= range.upperBound }

  /// Holds where the value is less than the bound: `field < bound`.
  public func isIn(_ range: PartialRangeUpTo<Value>) -> Condition<Model> { self < range.upperBound }
}

extension ClosedRange where Bound: AttributeValue {
  /// Holds where the value of the field lies in the range: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension Range where Bound: AttributeValue {
  /// Holds where the value of the field lies in the range: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension PartialRangeFrom where Bound: AttributeValue {
  /// Holds where the value of the field lies in the range: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension PartialRangeThrough where Bound: AttributeValue {
  /// Holds where the value of the field lies in the range: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension PartialRangeUpTo where Bound: AttributeValue {
  /// Holds where the value of the field lies in the range: `field.isIn(range)`.
  public func contains<Model>(_ field: Field<Model, Bound>) -> Condition<Model> { field.isIn(self) }
}

extension Sequence where Element: AttributeValue {
  /// Holds where the attribute has one of these values: `field.isIn(values)`.
  public func contains<Model>(_ field: Field<Model, Element>) -> Condition<Model> { field.isIn(self) }
}

extension Sequence where Element: PersistentModel {
  /// Holds where the relationship leads to one of these objects: `field.isIn(objects)`. Keeps their IDs, not the
  /// objects.
  public func contains<Model>(_ field: ToOneField<Model, Element>) -> Condition<Model> { field.isIn(self) }
}

extension Sequence {
  /// Holds where the relationship leads to one of the objects of these IDs: `field.isIn(ids)`.
  public func contains<Model, Target>(_ field: ToOneField<Model, Target>) -> Condition<Model>
  where Element == ObjectID<Target> { field.isIn(self) }

  /// Holds of the objects with these IDs: `field.isIn(ids)`.
  public func contains<Model, Target>(_ field: IDField<Model, Target>) -> Condition<Model>
  where Element == ObjectID<Target> { field.isIn(self) }
}
