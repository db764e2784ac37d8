import RepriseObjectModel
import RepriseQuery

/// An attribute of every kind that aggregates treat differently, with an index and without.
final class Sale: PersistentModel {
  static let entity = Entity(
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
    ])

  enum Grade: String, AttributeValue, CaseIterable {
    case low, high
  }

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(text: String? = nil, number: Int? = nil) {
    _storage = ObjectStorage(Sale.entity)
    self.text = text
    self.number = number
  }

  var text: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var number: Int? {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var real: Double? {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  var plainText: String {
    get { _storage.get(3) }
    set { _storage.set(3, newValue) }
  }
  var plainReal: Double? {
    get { _storage.get(4) }
    set { _storage.set(4, newValue) }
  }
  var small: Int8 {
    get { _storage.get(5) }
    set { _storage.set(5, newValue) }
  }
  var unsigned: UInt64 {
    get { _storage.get(6) }
    set { _storage.set(6, newValue) }
  }
  var isPaid: Bool {
    get { _storage.get(7) }
    set { _storage.set(7, newValue) }
  }
  var bytes: [UInt8]? {
    get { _storage.get(8) }
    set { _storage.set(8, newValue) }
  }
  var grade: Grade? {
    get { _storage.get(9) }
    set { _storage.set(9, newValue) }
  }
  var shop: Shop? {
    get { _storage.toOne(10) }
    set { _storage.setToOne(10, newValue, of: self) }
  }

  struct Fields: FieldSet {
    typealias Model = Sale
    let text: Field<Sale, String>
    let number: Field<Sale, Int>
    let real: Field<Sale, Double>
    let plainText: Field<Sale, String>
    let plainReal: Field<Sale, Double>
    let small: Field<Sale, Int8>
    let unsigned: Field<Sale, UInt64>
    let isPaid: Field<Sale, Bool>
    let bytes: Field<Sale, [UInt8]>
    let grade: Field<Sale, Grade>
    let shop: ToOneField<Sale, Shop>

    init(_ path: FieldPath) {
      text = Field(path.appending("text"))
      number = Field(path.appending("number"))
      real = Field(path.appending("real"))
      plainText = Field(path.appending("plainText"))
      plainReal = Field(path.appending("plainReal"))
      small = Field(path.appending("small"))
      unsigned = Field(path.appending("unsigned"))
      isPaid = Field(path.appending("isPaid"))
      bytes = Field(path.appending("bytes"))
      grade = Field(path.appending("grade"))
      shop = ToOneField(path.appending("shop"))
    }
  }

  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}

final class Shop: PersistentModel {
  static let entity = Entity(
    Shop.self, name: "Shop",
    properties: [
      .attribute("name", String?.self), .attribute("rank", Int.self),
      .toMany("sales", Sale.self, deleteRule: .cascade),
    ])

  let _storage: ObjectStorage
  init(_storage: ObjectStorage) { self._storage = _storage }

  init(name: String?, rank: Int = 0) {
    _storage = ObjectStorage(Shop.entity)
    self.name = name
    self.rank = rank
  }

  var name: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  var rank: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  var sales: ToMany<Sale> { ToMany(2, of: self) }

  struct Fields: FieldSet {
    typealias Model = Shop
    let name: Field<Shop, String>
    let rank: Field<Shop, Int>
    let sales: ToManyField<Shop, Sale>

    init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      rank = Field(path.appending("rank"))
      sales = ToManyField(path.appending("sales"))
    }
  }

  struct Snapshot: Sendable {}
  var snapshot: Snapshot { Snapshot() }
}
