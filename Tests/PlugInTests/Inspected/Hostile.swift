import RepriseCore

/// A model with names that are scripts, for whoever takes a name for HTML.
public final class Hostile: PersistentModel {
  public static let script = "<img src=x onerror=\"window.wasExecuted = 1\">"
  public static let entity = Entity(
    Hostile.self, name: script, properties: [.attribute("'\"><script>window.wasExecuted = 2</script>", String.self)])

  public let _storage: ObjectStorage
  public init(_storage: ObjectStorage) { self._storage = _storage }

  public init(_ value: String) {
    _storage = ObjectStorage(Hostile.entity)
    _storage.set(0, value)
  }

  public struct Fields: FieldSet {
    public typealias Model = Hostile
    public init(_ path: FieldPath) {}
  }

  public var snapshot: Hostile.ID { id }
}
