import RepriseObjectModel

/// An index over each kind of attribute, with a history and without.
package final class Sorted: TestModel {
  package static let entity = Entity(
    Sorted.self, name: "Sorted",
    properties: [
      .attribute("text", String.self), .attribute("bytes", [UInt8]?.self, indexed: true),
      .attribute("flag", Bool.self, indexed: true), .attribute("natural", UInt64?.self, indexed: true),
      .attribute("ratio", Double?.self, indexed: true), .attribute("moment", Moment?.self, indexed: true),
      .attribute("token", UniqueID?.self, indexed: true), .attribute("picture", Blob?.self, indexed: true),
      .toOne("next", Sorted.self, inverse: "previous"), .toMany("previous", Sorted.self),
      .index(["next", "flag"]), .searchIndex("text"), .unique(["natural"]),
      .unique(["token"], nilsAreEqual: true), .index(["flag", "ratio"], keepsHistory: true),
      .unique(["ratio"], keepsHistory: true), .unique(["natural", "flag"], nilsAreEqual: true, keepsHistory: true),
    ])
  package static let text = 0, bytes = 1, flag = 2, natural = 3, ratio = 4, moment = 5, token = 6, picture = 7, next = 8

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
}
