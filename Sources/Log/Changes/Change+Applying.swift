import RepriseObjectModel

/// An object in some form: its values in slots, its record, the columns of an index. Changes are applied to it.
@usableFromInline
package protocol ChangeTarget {
  var exists: Bool { get }
  /// The object begins to exist, with the values of an insertion.
  mutating func insert(_ change: Change) throws(ReplayError)
  /// The object, with the values of a deletion, ceases to exist.
  mutating func delete(_ change: Change) throws(ReplayError)
  /// Throws if the property has another value than the old one.
  mutating func set(
    _ number: UInt32, from old: UnsafeRawBufferPointer, to new: UnsafeRawBufferPointer
  ) throws(ReplayError)
  /// Throws if the property does not have the removed part.
  mutating func splice(_ number: UInt32, _ splice: Splice) throws(ReplayError)
  mutating func erase(_ number: UInt32) throws(ReplayError)
}

extension Change {
  /// Turns the object before this change into the object after it. If the change does not fit the object, the call
  /// throws, and some fields may have changed.
  @inlinable package func applied(to target: inout some ChangeTarget) throws(ReplayError) {
    guard target.exists == kind.existsBefore else {
      throw target.exists ? .presentObject(object.uuid) : .missingObject(object.uuid)
    }
    switch kind {
    case .inserted: try target.insert(self)
    case .deleted: try target.delete(self)
    case .updated:
      var fields = fields
      while let (number, field) = try ReplayError.wrapping({ () throws(MalformedBytes) in try fields.next() }) {
        switch field {
        case .set(let old, let new): try target.set(number, from: old, to: new)
        case .splice(let splice): try target.splice(number, splice)
        case .redacted: try target.erase(number)
        }
      }
    }
  }
}

extension ReplayError {
  @inlinable package static func wrapping<Result>(
    _ body: () throws(MalformedBytes) -> Result
  ) throws(ReplayError) -> Result {
    do throws(MalformedBytes) { return try body() } catch { throw .malformed(error) }
  }
}
