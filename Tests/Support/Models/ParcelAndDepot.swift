import RepriseObjectModel
import RepriseQuery

// Models with indexes that keep history, written by hand.

package final class Parcel: TestModel {
  package static let plain: Collation = [.ignoringCase, .ignoringDiacritics]

  package static let entity = Entity(Parcel.self, name: "Parcel", properties: attributes + indexes(keepsHistory: true))

  fileprivate static let attributes: [Property] = [
    .attribute("name", String.self), .attribute("rank", Int.self), .attribute("weight", Double?.self),
    .attribute("code", Int?.self), .attribute("remark", String.self), .toOne("depot", Depot.self, inverse: "parcels"),
  ]

  fileprivate static func indexes(keepsHistory: Bool) -> [Property] {
    [
      .index(["rank"], keepsHistory: keepsHistory), .index([IndexColumn("name", plain)], keepsHistory: keepsHistory),
      .index(["depot", "rank"], keepsHistory: keepsHistory), .index(["weight"], keepsHistory: keepsHistory),
      .unique(["code"], keepsHistory: keepsHistory),
    ]
  }

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String, rank: Int = 0) {
    _storage = ObjectStorage(Parcel.entity)
    self.name = name
    self.rank = rank
  }

  @Stored(0) package var name: String
  @Stored(1) package var rank: Int
  @Stored(2) package var weight: Double?
  @Stored(3) package var code: Int?
  /// In no index.
  @Stored(4) package var remark: String
  @Linked(5) package var depot: Depot?

  package struct Fields: FieldSet {
    package typealias Model = Parcel
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Parcel, String> { Field(path.appending("name")) }
    package var rank: Field<Parcel, Int> { Field(path.appending("rank")) }
    package var weight: Field<Parcel, Double> { Field(path.appending("weight")) }
    package var code: Field<Parcel, Int> { Field(path.appending("code")) }
    package var remark: Field<Parcel, String> { Field(path.appending("remark")) }
    package var depot: ToOneField<Parcel, Depot> { ToOneField(path.appending("depot")) }
  }
}

package final class Depot: TestModel {
  package static let entity = Entity(
    Depot.self, name: "Depot", properties: [.attribute("name", String.self), .toMany("parcels", Parcel.self)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String) {
    _storage = ObjectStorage(Depot.entity)
    self.name = name
  }

  @Stored(0) package var name: String
  package var parcels: ToMany<Parcel> { ToMany(1, of: self) }
}

/// The same as ``Parcel`` with the same indexes, which keep no history.
package final class PlainParcel: TestModel {
  package static let entity = Entity(
    PlainParcel.self, name: "Parcel",
    properties: Array(Parcel.attributes.dropLast()) + [.toOne("depot", PlainDepot.self, inverse: "parcels")]
      + Parcel.indexes(keepsHistory: false))

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String, rank: Int = 0) {
    _storage = ObjectStorage(PlainParcel.entity)
    self.name = name
    self.rank = rank
  }

  @Stored(0) package var name: String
  @Stored(1) package var rank: Int
}

package final class PlainDepot: TestModel {
  package static let entity = Entity(
    PlainDepot.self, name: "Depot",
    properties: [.attribute("name", String.self), .toMany("parcels", PlainParcel.self)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  @Stored(0) package var name: String
}
