import RepriseCore
import RepriseRemote

/// A row of another program's database, kept in the store.
public final class Song: PersistentModel {
  public static let entity = Entity(
    Song.self, name: "Song",
    properties: [.attribute("rowID", String?.self), .attribute("title", String.self), .unique(["rowID"])])

  public let _storage: ObjectStorage
  public init(_storage: ObjectStorage) { self._storage = _storage }

  public init(title: String) {
    _storage = ObjectStorage(Song.entity)
    self.title = title
  }

  public var rowID: String? {
    get { _storage.get(0) }
    set { _storage.set(0, newValue) }
  }
  public var title: String {
    get { _storage.get(1) }
    set { _storage.set(1, newValue) }
  }

  public struct Fields: FieldSet {
    public typealias Model = Song
    public let rowID: Field<Song, String>
    public let title: Field<Song, String>
    public init(_ path: FieldPath) {
      rowID = Field(path.appending("rowID"))
      title = Field(path.appending("title"))
    }
  }

  public var snapshot: Song.ID { id }
}

/// What is read of it.
public struct SongRecord: Codable, Sendable {
  public var id: String?
  public var title: String

  public init(id: String?, title: String) { (self.id, self.title) = (id, title) }

  public static var mapping: RemoteMapping<Song, SongRecord> {
    RemoteMapping(
      key: { $0.rowID }, id: { $0.id }, apply: { record, song, _ in song.title = record.title },
      record: { SongRecord(id: $0.rowID, title: $0.title) })
  }
}

/// A list of songs with a row that is selected.
@MainActor public final class SongScreen<Source: DataSource> {
  public struct State: Codable, Sendable {
    public var selected: ModelIdentifier?
    public init(_ selected: ModelIdentifier?) { self.selected = selected }
  }
  public static var kind: NodeKind<State, SongScreen> { NodeKind("songs") }
  public static var key: RestorationKey<Source> { "songs" }
  public let node: RestorationNode<State>
  public let source: Source
  init(_ node: RestorationNode<State>, _ source: Source) { (self.node, self.source) = (node, source) }

  /// Restores a scene with the source.
  public static func launch(_ store: Store, _ source: Source) async throws -> Restoration {
    let run = Restoration(store)
    try run.register(source, as: key)
    try run.define(kind, needs: .registered(key)) { SongScreen($0, $1) }
    try await run.restore()
    return run
  }

  /// The element that is selected, if the source shows it.
  public var selected: Source.Element? {
    node.state.selected.flatMap { source.row(for: $0).path }.map { source.element(at: $0) }
  }
}
