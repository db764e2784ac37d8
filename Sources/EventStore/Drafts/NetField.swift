/// What the changes of one property come to: from which value, to which.
protocol NetField {
  associatedtype Value
  var old: Value { get set }
  var new: Value { get set }
}

extension NetField {
  /// Adds a later change, as ``ObjectChange/followed(by:)`` does: one that does not begin where this ended rests on
  /// what is below by now, and this had come back to what was there before.
  mutating func follow(from old: Value, to new: Value, beginsWhereThisEnded: Bool) {
    if !beginsWhereThisEnded { self.old = old }
    self.new = new
  }
}
