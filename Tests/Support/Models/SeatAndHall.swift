import RepriseObjectModel
import RepriseQuery

// Models with unique properties of which nil equals nil, written by hand.

package final class Seat: PersistentModel {
  package static let entity = Entity(
    Seat.self, name: "Seat",
    properties: [
      .attribute("row", Int?.self),
      .attribute("price", Int.self),
      .toOne("hall", Hall.self, inverse: "seats"),
      .unique(["hall", "row"], nilsAreEqual: true),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ hall: Hall?, row: Int?) {
    _storage = ObjectStorage(Seat.entity)
    self.hall = hall
    self.row = row
  }

  package var row: Int? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var price: Int {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  package var hall: Hall? {
    get { _storage.toOne(2) }
    set { _storage.setToOne(2, newValue, of: self) }
  }

  package static var _keyPaths: [AnyKeyPath: String] {
    [\Seat.id: "", \Seat.row: "row", \Seat.price: "price", \Seat.hall: "hall"]
  }

  package struct Fields: FieldSet {
    package typealias Model = Seat
    package let row: Field<Seat, Int>
    package let price: Field<Seat, Int>
    package let hall: ToOneField<Seat, Hall>

    package init(_ path: FieldPath) {
      row = Field(path.appending("row"))
      price = Field(path.appending("price"))
      hall = ToOneField(path.appending("hall"))
    }
  }

  package struct Snapshot: Hashable, Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}

package final class Hall: PersistentModel {
  package static let entity = Entity(
    Hall.self, name: "Hall", properties: [.attribute("name", String.self), .toMany("seats", Seat.self)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ name: String) {
    _storage = ObjectStorage(Hall.entity)
    self.name = name
  }

  package var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var seats: ToMany<Seat> { ToMany(1, of: self) }

  package static var _keyPaths: [AnyKeyPath: String] {
    [\Hall.id: "", \Hall.name: "name", \Hall.seats: "seats"]
  }

  package struct Fields: FieldSet {
    package typealias Model = Hall
    package let name: Field<Hall, String>
    package let seats: ToManyField<Hall, Seat>

    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      seats = ToManyField(path.appending("seats"))
    }
  }

  package struct Snapshot: Hashable, Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}

/// With a text under a collation beside a number.
package final class Ticket: PersistentModel {
  package static let entity = Entity(
    Ticket.self, name: "Ticket",
    properties: [
      .attribute("holder", String?.self),
      .attribute("day", Int?.self),
      .unique([IndexColumn("holder", .ignoringCase), "day"], nilsAreEqual: true),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package init(_ holder: String?, day: Int?) {
    _storage = ObjectStorage(Ticket.entity)
    self.holder = holder
    self.day = day
  }

  package var holder: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var day: Int? {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }

  package static var _keyPaths: [AnyKeyPath: String] {
    [\Ticket.id: "", \Ticket.holder: "holder", \Ticket.day: "day"]
  }

  package struct Fields: FieldSet {
    package typealias Model = Ticket
    package let holder: Field<Ticket, String>
    package let day: Field<Ticket, Int>

    package init(_ path: FieldPath) {
      holder = Field(path.appending("holder"))
      day = Field(path.appending("day"))
    }
  }

  package struct Snapshot: Hashable, Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}
