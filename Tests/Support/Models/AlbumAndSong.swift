import RepriseObjectModel
import RepriseQuery

// Models in ordered relationships, written by hand.

package final class Album: TestModel {
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

  @Stored(0) package var title: String
  package var songs: OrderedToMany<Song> {
    get { OrderedToMany(1, of: self) }
    set { _storage.setToMany(1, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Album
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var title: Field<Album, String> { Field(path.appending("title")) }
    package var songs: ToManyField<Album, Song> { ToManyField(path.appending("songs")) }
  }
}

package final class Song: TestModel {
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

  @Stored(0) package var name: String
  @Linked(1) package var album: Album?
  package var playlists: ToMany<Playlist> {
    get { ToMany(2, of: self) }
    set { _storage.setToMany(2, newValue, of: self) }
  }

  package struct Fields: FieldSet {
    package typealias Model = Song
    let path: FieldPath
    package init(_ path: FieldPath) { self.path = path }
    package var name: Field<Song, String> { Field(path.appending("name")) }
    package var album: ToOneField<Song, Album> { ToOneField(path.appending("album")) }
  }
}

package final class Playlist: TestModel {
  package static let entity = Entity(
    Playlist.self, name: "Playlist",
    properties: [.toMany("songs", Song.self, inverse: "playlists", isOrdered: true)])

  package let _storage: ObjectStorage
  package init(_storage: ObjectStorage) { self._storage = _storage }

  package var songs: OrderedToMany<Song> {
    get { OrderedToMany(0, of: self) }
    set { _storage.setToMany(0, newValue, of: self) }
  }
}

/// The same two entities before the relationship was ordered.
package enum UnorderedAlbums {
  package final class Album: TestModel {
    package static let entity = Entity(
      UnorderedAlbums.Album.self, name: "Album",
      properties: [.attribute("title", String.self), .toMany("songs", UnorderedAlbums.Song.self, inverse: "album")])
    package let _storage: ObjectStorage
    package init(_storage: ObjectStorage) { self._storage = _storage }
    package var songs: ToMany<UnorderedAlbums.Song> { ToMany(1, of: self) }
  }

  package final class Song: TestModel {
    package static let entity = Entity(
      UnorderedAlbums.Song.self, name: "Song",
      properties: [.attribute("name", String.self), .toOne("album", UnorderedAlbums.Album.self)])
    package let _storage: ObjectStorage
    package init(_storage: ObjectStorage) { self._storage = _storage }
    package init(_ name: String) {
      _storage = ObjectStorage(Self.entity)
      _storage.set(0, name)
    }
  }
}
