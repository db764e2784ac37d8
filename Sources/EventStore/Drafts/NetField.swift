/// The net change of one property: its old and new value.
protocol NetField {
  associatedtype Value
  var old: Value { get set }
  var new: Value { get set }
}

extension NetField {
  /// Adds a later change, as ``ObjectChange/followed(by:)`` does. A change that does not begin with this one's new
  /// value is based on the state below, to which this one had returned.
  mutating func follow(from old: Value, to new: Value, beginsWhereThisEnded: Bool) {
    if !beginsWhereThisEnded { self.old = old }
    self.new = new
  }
}
