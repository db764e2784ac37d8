import RepriseLog
import RepriseObjectModel

extension Store {
  /// The URI of an object of this store: `reprise://<log uuid>/<Entity>/<object uuid>`. It stays valid forever.
  ///
  /// - Throws: ``LookupError/unknownEntity(_:)`` for an ID of a model that the store was not opened with.
  public func uri(for id: AnyObjectID) throws -> String {
    guard map.map(id.name) != nil else { throw LookupError.unknownEntity(id.entity) }
    do throws(StoreError) { try requireKnownLog() } catch { throw LookupError.store(error) }
    return ObjectURI(log: logID, entity: id.entity, uuid: id.uuid).text
  }

  /// The ID in a URI of this store. Does not check whether the object exists.
  ///
  /// - Throws: ``LookupError``: the URI is malformed, or names another log or an unknown entity.
  public func id(fromURI text: String) throws -> AnyObjectID {
    guard let uri = ObjectURI(text) else { throw LookupError.malformedURI(text) }
    do throws(StoreError) { try requireKnownLog() } catch { throw LookupError.store(error) }
    guard uri.log == logID else { throw LookupError.foreignStore(uri: text, log: logID) }
    guard let entity = map.schema.entity(everNamed: uri.entity) ?? map.entity(formerlyNamed: uri.entity) else {
      throw LookupError.unknownEntity(uri.entity)
    }
    return AnyObjectID(entity.interned, uri.uuid)
  }

  /// The log's ID is that of the store on the disk; a closed store still knows it.
  private func requireKnownLog() throws(StoreError) { if !isReady { try requireOpen() } }
}
