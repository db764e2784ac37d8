import RepriseObjectModel

// A many-to-many with an order at both ends, and one that is its own inverse, written by hand.

package final class Route: TestModel {
  package static let entity = Entity(
    Route.self, name: "Route",
    properties: [
      .attribute("name", String.self), .toMany("stops", Stop.self, inverse: "routes", isOrdered: true),
    ])
  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(_ name: String) {
    _storage = ObjectStorage(Route.entity)
    self.name = name
  }
  @Stored(0) package var name: String
  package var stops: OrderedToMany<Stop> {
    get { OrderedToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }
}

package final class Stop: TestModel {
  package static let entity = Entity(
    Stop.self, name: "Stop",
    properties: [.attribute("name", String.self), .toMany("routes", Route.self, isOrdered: true)])
  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(_ name: String) {
    _storage = ObjectStorage(Stop.entity)
    self.name = name
  }
  @Stored(0) package var name: String
  package var routes: OrderedToMany<Route> { OrderedToMany(1, of: self) }
}

package final class Peer: TestModel {
  package static let entity = Entity(
    Peer.self, name: "Peer",
    properties: [
      .attribute("name", String.self), .toMany("peers", Peer.self, inverse: "peers", isOrdered: true),
    ])
  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(_ name: String) {
    _storage = ObjectStorage(Peer.entity)
    self.name = name
  }
  @Stored(0) package var name: String
  package var peers: OrderedToMany<Peer> { OrderedToMany(1, of: self) }
}
