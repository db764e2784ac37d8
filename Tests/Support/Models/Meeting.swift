import RepriseObjectModel
import RepriseQuery

/// A model with times, one of them indexed.
package final class Meeting: TestModel {
  package static let entity = Entity(
    Meeting.self, name: "Meeting",
    properties: [
      .attribute("start", Moment?.self, indexed: true), .attribute("end", Moment?.self),
      .attribute("margin", Double.self), .attribute("name", String.self),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ start: Double?, _ end: Double? = nil, name: String = "") {
    _storage = ObjectStorage(Meeting.entity)
    self.start = start.map { Moment(seconds: $0) }
    self.end = end.map { Moment(seconds: $0) }
    self.name = name
  }

  @Stored(0) package var start: Moment?
  @Stored(1) package var end: Moment?
  @Stored(3) package var name: String

  package struct Fields: FieldSet {
    package typealias Model = Meeting
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var start: Field<Meeting, Moment> { Field(path.appending("start")) }
    package var name: Field<Meeting, String> { Field(path.appending("name")) }
  }
}

/// A point in time, stored as Foundation's `Date` is.
package struct Moment: AttributeValue, Comparable {
  package let seconds: Double
  package init(seconds: Double) { self.seconds = seconds }

  package static var attributeKind: AttributeKind { .date }
  package var propertyValue: PropertyValue { .date(seconds) }
  package static func from(_ value: PropertyValue) -> Moment? {
    if case .date(let seconds) = value { Moment(seconds: seconds) } else { nil }
  }
  package static func < (left: Moment, right: Moment) -> Bool { left.seconds < right.seconds }
}
