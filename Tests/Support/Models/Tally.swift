import RepriseObjectModel

/// An attribute for every merge rule.
package final class Tally: TestModel {
  package struct Days: OptionSet, AttributeValue {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static let monday = Days(rawValue: 1)
    package static let tuesday = Days(rawValue: 2)
    package static let friday = Days(rawValue: 16)
  }

  package static let entity = Entity(
    Tally.self, name: "Tally",
    properties: [
      .attribute("count", Int.self, merge: .counter),
      .attribute("small", Int8.self, merge: .counter),
      .attribute("big", UInt64.self, merge: .counter),
      .attribute("share", Double?.self, merge: .counter),
      .attribute("tags", Set<String>.self, merge: .set),
      .attribute("days", Days.self, merge: .set),
      .attribute("note", String.self, merge: .lastWriter),
      .attribute("story", String?.self, merge: .text),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  @Stored(0) package var count: Int
  @Stored(1) package var small: Int8
  @Stored(2) package var big: UInt64
  @Stored(3) package var share: Double?
  @Stored(4) package var tags: Set<String>
  @Stored(5) package var days: Days
  @Stored(6) package var note: String
  @Stored(7) package var story: String?
}
