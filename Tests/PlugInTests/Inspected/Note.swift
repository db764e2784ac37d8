import RepriseCore

/// A note, in a folder or in none.
public final class Note: PersistentModel {
  public static let entity = Entity(
    Note.self, name: "Note",
    properties: [
      .attribute("title", String.self, indexed: true), .attribute("body", String.self),
      .attribute("stars", Int.self), .toOne("folder", Folder.self, inverse: "notes"),
    ])

  public let _storage: ObjectStorage
  public init(_storage: ObjectStorage) { self._storage = _storage }

  public init(_ title: String, body: String = "", stars: Int = 0) {
    _storage = ObjectStorage(Note.entity)
    self.title = title
    self.body = body
    self.stars = stars
  }

  public var title: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  public var body: String {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }
  public var stars: Int {
    get { _storage.get(2) }
    set { _storage.set(2, newValue) }
  }
  public var folder: Folder? {
    get { _storage.toOne(3) }
    set { _storage.setToOne(3, newValue, of: self) }
  }

  public struct Fields: FieldSet {
    public typealias Model = Note
    public let title: Field<Note, String>
    public init(_ path: FieldPath) { title = Field(path.appending("title")) }
  }

  public var snapshot: Note.ID { id }
}

public final class Folder: PersistentModel {
  public static let entity = Entity(
    Folder.self, name: "Folder", properties: [.attribute("name", String.self), .toMany("notes", Note.self)])

  public let _storage: ObjectStorage
  public init(_storage: ObjectStorage) { self._storage = _storage }

  public init(_ name: String) {
    _storage = ObjectStorage(Folder.entity)
    self.name = name
  }

  public var name: String {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }

  public struct Fields: FieldSet {
    public typealias Model = Folder
    public let name: Field<Folder, String>
    public init(_ path: FieldPath) { name = Field(path.appending("name")) }
  }

  public var snapshot: Folder.ID { id }
}
