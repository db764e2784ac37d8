import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

extension FetchedList {
  /// The rows that the list shows. Without observers, they are computed on demand.
  var shown: ListMoment? {
    if let tracker = context.tracker {
      isTracked = true
      tracker.didRead(self)
    }
    if let moment { return moment }
    if isPending {
      if context.store.isOpening { return nil }
      isPending = false
    }
    do {
      takeUpIndexes()
      let last = unobserved
      unobserved = nil
      moment = try last?.following(compiled, in: context.projection) ?? Self.moment(compiled, of: fetch, context)
      failure = nil
    } catch {
      failure = error
    }
    return moment
  }

  /// Whether the rows could be read.
  ///
  /// If not, the list shows the rows that it had before.
  public var loadState: LoadState {
    let moment = shown
    if isPending { return .loading }
    if let failure { return .failed(failure) }
    if let failure = moment?.sectionFailure { return .failed(failure) }
    return .loaded
  }

  /// The sections and their row counts, as a value.
  ///
  /// Costs as much as ``sectionCount``.
  public var snapshot: ListSnapshot {
    if let moment = shown { lastSnapshot = moment.snapshot }
    return lastSnapshot
  }

  /// The number of rows in all sections.
  ///
  /// - Complexity: O(1)
  public var count: Int { shown?.count ?? lastSnapshot.count }

  /// The number of sections: one in a list without sections, and none in a sectioned list without rows.
  ///
  /// Takes O(1) time. If an index has the rows, the first read after a change takes O(sections × log n).
  public var sectionCount: Int { snapshot.sections.count }

  /// Returns a section's name, or `nil` in a list without sections or if the section does not exist.
  ///
  /// Costs as much as ``sectionCount``.
  public func sectionName(_ section: Int) -> String? {
    let sections = snapshot.sections
    return sections.indices.contains(section) ? sections[section].name : nil
  }

  /// Returns the number of rows in a section, or 0 if the section does not exist.
  ///
  /// Costs as much as ``sectionCount``.
  public func rowCount(inSection section: Int) -> Int {
    let sections = snapshot.sections
    return sections.indices.contains(section) ? sections[section].rowCount : 0
  }

  /// Returns the object in a row, an instance of the list's context.
  ///
  /// Traps if the row does not exist.
  ///
  /// If the object was deleted since the last batch, it has its last values. If the store cannot be read, the object's
  /// state is `.unreadable`. Takes O(log n) time, and reads the object if it is not in memory.
  public func element(at path: RowPath) -> Element {
    guard let index = snapshot.index(of: path) else {
      preconditionFailure(
        "There is no \(path.inWords): the list of \(Element.entity.name) has \(count) rows. A path is valid only "
          + "until the next batch of changes.")
    }
    return Element.of(object(at: index))
  }

  private func object(at index: Int) -> any PersistentModel {
    guard let moment else {
      let reason = failure.map { "\($0)" } ?? "the list has no rows"
      return context.unreadableInstance(Element.entity, .damaged(path: context.store.path, reason: reason))
    }
    return moment.instance(at: index, context)
  }

  /// The rows of all sections, as a collection that keeps showing this moment.
  ///
  /// While you retain the collection, it retains the moment. If the list has its rows in memory, the collection shares
  /// them. As for a context, the store keeps the old versions of objects that later saves change. An access takes O(log
  /// n) time, and reads the object if it is not in memory. Sequential access looks up 64 rows at a time.
  public var rows: ListRows<Element> {
    guard let moment = shown else { return ListRows(SourceReader(self)) }
    return ListRows(MomentReader(moment, context))
  }

  /// The IDs of all rows, by section.
  ///
  /// Reads no objects.
  ///
  /// - Throws: ``StoreError`` if the rows cannot be read.
  /// - Complexity: O(n)
  public var identifiers: ListIdentifiers<Element.ID> {
    get throws {
      _ = snapshot
      guard let moment else { throw failure ?? StoreError.closed(path: context.store.path) }
      return try moment.identifiers(of: Element.self)
    }
  }

  /// Returns the URI of the object in a row, or `nil` if the row does not exist or cannot be read.
  ///
  /// The object itself is not read.
  ///
  /// - Complexity: O(log n)
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? {
    guard let index = snapshot.index(of: path), let moment, let uuid = try? moment.object(at: index) else { return nil }
    return ModelIdentifier(ObjectURI(log: context.store.logID, entity: Element.entity.name, uuid: uuid).text)
  }

  /// Returns the row of an object.
  ///
  /// Takes O(log n) time, and reads the object.
  public func row(for id: Element.ID) -> RowLookup { row(of: id.uuid) }

  /// Returns the row of the object with this URI.
  ///
  /// Costs as much as ``row(for:)-(Element.ID)``.
  ///
  /// An identifier that is not the URI of an object in this store gives ``RowLookup/foreignStore``. The entity in a URI
  /// is only a hint. An object of another model gives ``RowLookup/filteredOut``.
  public func row(for identifier: ModelIdentifier) -> RowLookup {
    if shown == nil, isPending { return .notLoaded }
    guard let uri = ObjectURI(identifier.rawValue), uri.log == context.store.logID else { return .foreignStore }
    let answer = row(of: uri.uuid)
    if answer == .deleted, uri.entity != Element.entity.name, let moment,
      let other = context.store.map.all.first(where: { $0.entity.name == uri.entity }),
      let values = try? moment.projection.read(AnyObjectID(other.entity.interned, uri.uuid), other), !values.isEmpty
    {
      return .filteredOut
    }
    return answer
  }

  private func row(of uuid: UniqueID) -> RowLookup {
    guard let moment = shown else { return .notLoaded }
    do throws(StoreError) {
      switch try moment.place(of: uuid) {
      case .row(let index): return moment.snapshot.path(at: index).map { .row($0) } ?? .notLoaded
      case .filteredOut: return .filteredOut
      case .absent: return try isKnownSince(uuid, moment) ? .notLoaded : .deleted
      }
    } catch {
      return .notLoaded
    }
  }

  /// Whether an object that is not in the list appeared after the list's moment, in the context or through saves of
  /// other contexts.
  private func isKnownSince(_ uuid: UniqueID, _ moment: ListMoment) throws(StoreError) -> Bool {
    let id = AnyObjectID(moment.map.entity.interned, uuid)
    if try context.projection.read(id, moment.map) != nil { return true }
    let store = context.store
    let head = store.pin()
    defer { store.unpin(head) }
    guard try store.objects.values(of: uuid, moment.map, at: head) != nil else { return false }
    // If the object existed at the moment's position, an overlay has deleted it.
    return try store.objects.values(of: uuid, moment.map, at: moment.projection.position) == nil
  }
}
