import RepriseLog
import RepriseObjectModel

extension Store {
  /// The URI of an object of this store: `reprise://<log uuid>/<Entity>/<object uuid>`. It stays valid as long as the
  /// store exists. The call does not check whether the object exists, and its cost does not grow with the store.
  ///
  /// - Throws: ``LookupError``: `unknownEntity` for an ID of a model that the store was not opened with; `store` if the
  ///   store has never been open.
  public func uri(for id: AnyObjectID) throws -> String {
    guard map.map(id.name) != nil else { throw LookupError.unknownEntity(id.entity) }
    do throws(StoreError) { try requireKnownLog() } catch { throw LookupError.store(error) }
    return ObjectURI(log: logID, entity: id.entity, uuid: id.uuid).text
  }

  /// The ID in a URI of this store. The URI may have a former name of the entity. The call does not check whether the
  /// object exists, and its cost does not grow with the store.
  ///
  /// - Throws: ``LookupError``: `malformedURI`, `foreignStore` if the URI belongs to another log, `unknownEntity`, or
  ///   `store` if the store has never been open.
  public func id(fromURI text: String) throws -> AnyObjectID {
    guard let uri = ObjectURI(text) else { throw LookupError.malformedURI(text) }
    do throws(StoreError) { try requireKnownLog() } catch { throw LookupError.store(error) }
    guard uri.log == logID else { throw LookupError.foreignStore(uri: text, log: logID) }
    guard let entity = map.schema.entity(everNamed: uri.entity) ?? map.entity(formerlyNamed: uri.entity) else {
      throw LookupError.unknownEntity(uri.entity)
    }
    return AnyObjectID(entity.interned, uri.uuid)
  }

  /// Only the store on the disk has the log's ID. A closed store still knows it.
  private func requireKnownLog() throws(StoreError) { if !isReady { try requireOpen() } }
}
