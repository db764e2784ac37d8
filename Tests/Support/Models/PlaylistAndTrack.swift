import RepriseObjectModel
import RepriseQuery

// Models in ordered relationships, written by hand.

package final class Album: PersistentModel {
  package static let entity = Entity(
    Album.self, name: "Album",
    properties: [
      .attribute("title", String.self),
      .toMany("songs", Song.self, inverse: "album", isOrdered: true),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(_ title: String) {
    _storage = ObjectStorage(Album.entity)
    self.title = title
  }

  package var title: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var songs: OrderedToMany<Song> {
    get { OrderedToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Album
    package let title: Field<Album, String>
    package let songs: ToManyField<Album, Song>
    package init(_ path: FieldPath) {
      title = Field(path.appending("title"))
      songs = ToManyField(path.appending("songs"))
    }
  }
  package struct Snapshot: Hashable, Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}

package final class Song: PersistentModel {
  package static let entity = Entity(
    Song.self, name: "Song",
    properties: [
      .attribute("name", String.self), .toOne("album", Album.self), .toMany("playlists", Playlist.self),
    ])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init(_ name: String) {
    _storage = ObjectStorage(Song.entity)
    self.name = name
  }

  package var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  package var album: Album? {
    get { _storage.toOne(1) }
    set { _storage.setToOne(1, newValue, of: self) }
  }
  package var playlists: ToMany<Playlist> {
    get { ToMany(2, of: self) }
    set { _storage.setToMany(2, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Song
    package let name: Field<Song, String>
    package let album: ToOneField<Song, Album>
    package init(_ path: FieldPath) {
      name = Field(path.appending("name"))
      album = ToOneField(path.appending("album"))
    }
  }
  package struct Snapshot: Hashable, Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}

package final class Playlist: PersistentModel {
  package static let entity = Entity(
    Playlist.self, name: "Playlist",
    properties: [.toMany("songs", Song.self, inverse: "playlists", isOrdered: true)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }
  package init() { _storage = ObjectStorage(Playlist.entity) }

  package var songs: OrderedToMany<Song> {
    get { OrderedToMany(0, of: self) }
    set { _storage.setToMany(0, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Playlist
    package init(_ path: FieldPath) {}
  }
  package struct Snapshot: Hashable, Sendable {}
  package var snapshot: Snapshot { Snapshot() }
}

/// The same two entities before the relationship was ordered.
package enum UnorderedAlbums {
  package final class Album: PersistentModel {
    package static let entity = Entity(
      UnorderedAlbums.Album.self, name: "Album",
      properties: [.attribute("title", String.self), .toMany("songs", UnorderedAlbums.Song.self, inverse: "album")])
    package let _storage: ObjectStorage
    package init(_storage: ObjectStorage) { self._storage = _storage }
    package init() { _storage = ObjectStorage(Self.entity) }
    package var songs: ToMany<UnorderedAlbums.Song> { ToMany(1, of: self) }
    package struct Fields: FieldSet {
      package typealias Model = UnorderedAlbums.Album
      package init(_ path: FieldPath) {}
    }
    package struct Snapshot: Hashable, Sendable {}
    package var snapshot: Snapshot { Snapshot() }
  }

  package final class Song: PersistentModel {
    package static let entity = Entity(
      UnorderedAlbums.Song.self, name: "Song",
      properties: [.attribute("name", String.self), .toOne("album", UnorderedAlbums.Album.self)])
    package let _storage: ObjectStorage
    package init(_storage: ObjectStorage) { self._storage = _storage }
    package init(_ name: String) {
      _storage = ObjectStorage(Self.entity)
      _storage.set(0, name)
    }
    package struct Fields: FieldSet {
      package typealias Model = UnorderedAlbums.Song
      package init(_ path: FieldPath) {}
    }
    package struct Snapshot: Hashable, Sendable {}
    package var snapshot: Snapshot { Snapshot() }
  }
}
