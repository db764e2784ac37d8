import RepriseObjectModel
import RepriseQuery

/// An attribute of every kind that aggregates treat differently, with an index and without.
package final class Sale: TestModel {
  package static let entity = Entity(
    Sale.self, name: "Sale",
    properties: [
      .attribute("text", String?.self, indexed: true),
      .attribute("number", Int?.self, indexed: true),
      .attribute("real", Double?.self, indexed: true),
      .attribute("plainText", String.self),
      .attribute("plainReal", Double?.self),
      .attribute("small", Int8.self),
      .attribute("unsigned", UInt64.self),
      .attribute("isPaid", Bool.self),
      .attribute("bytes", [UInt8]?.self),
      .attribute("grade", Grade?.self),
      .toOne("shop", Shop.self, inverse: "sales"),
      .attribute("discount", Int8?.self, indexed: true),
      .attribute("seller", UniqueID.self, indexed: true),
    ])

  package enum Grade: String, AttributeValue, CaseIterable {
    case low, high
  }

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(text: String? = nil, number: Int? = nil) {
    _storage = ObjectStorage(Sale.entity)
    self.text = text
    self.number = number
  }

  @Stored(0) package var text: String?
  @Stored(1) package var number: Int?
  @Stored(2) package var real: Double?
  @Stored(3) package var plainText: String
  @Stored(4) package var plainReal: Double?
  @Stored(5) package var small: Int8
  @Stored(6) package var unsigned: UInt64
  @Stored(7) package var isPaid: Bool
  @Stored(8) package var bytes: [UInt8]?
  @Stored(9) package var grade: Grade?
  @Linked(10) package var shop: Shop?
  @Stored(11) package var discount: Int8?
  @Stored(12) package var seller: UniqueID

  package struct Fields: FieldSet {
    package typealias Model = Sale
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var text: Field<Sale, String> { Field(path.appending("text")) }
    package var number: Field<Sale, Int> { Field(path.appending("number")) }
    package var real: Field<Sale, Double> { Field(path.appending("real")) }
    package var plainText: Field<Sale, String> { Field(path.appending("plainText")) }
    package var plainReal: Field<Sale, Double> { Field(path.appending("plainReal")) }
    package var small: Field<Sale, Int8> { Field(path.appending("small")) }
    package var unsigned: Field<Sale, UInt64> { Field(path.appending("unsigned")) }
    package var isPaid: Field<Sale, Bool> { Field(path.appending("isPaid")) }
    package var bytes: Field<Sale, [UInt8]> { Field(path.appending("bytes")) }
    package var grade: Field<Sale, Grade> { Field(path.appending("grade")) }
    package var shop: ToOneField<Sale, Shop> { ToOneField(path.appending("shop")) }
    package var discount: Field<Sale, Int8> { Field(path.appending("discount")) }
    package var seller: Field<Sale, UniqueID> { Field(path.appending("seller")) }
  }
}

package final class Shop: TestModel {
  package static let entity = Entity(
    Shop.self, name: "Shop",
    properties: [
      .attribute("name", String?.self), .attribute("rank", Int.self),
      .toMany("sales", Sale.self, deleteRule: .cascade),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(name: String?, rank: Int = 0) {
    _storage = ObjectStorage(Shop.entity)
    self.name = name
    self.rank = rank
  }

  @Stored(0) package var name: String?
  @Stored(1) package var rank: Int
  package var sales: ToMany<Sale> { ToMany(2, of: self) }

  package struct Fields: FieldSet {
    package typealias Model = Shop
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Shop, String> { Field(path.appending("name")) }
    package var rank: Field<Shop, Int> { Field(path.appending("rank")) }
    package var sales: ToManyField<Shop, Sale> { ToManyField(path.appending("sales")) }
  }
}
