import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel
import RepriseQuery

extension FetchedList {
  /// What the list shows. Without observers, it is computed on demand.
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
      let last = resting
      resting = nil
      moment = try last?.following(compiled, in: context.projection) ?? Self.moment(compiled, context)
      failure = nil
    } catch {
      failure = error
    }
    return moment
  }

  /// Whether the rows could be read. If not, the list shows what it showed before.
  public var readiness: Readiness {
    let moment = shown
    if isPending { return .pending }
    if let failure { return .failed(failure) }
    if let failure = moment?.sectionFailure { return .failed(failure) }
    return .ready
  }

  /// The sections and their numbers of rows, as a value. As ``sectionCount``.
  public var snapshot: ListSnapshot {
    if let moment = shown { lastSnapshot = moment.snapshot }
    return lastSnapshot
  }

  /// How many rows there are in all sections. O(1).
  public var count: Int { shown?.count ?? lastSnapshot.count }

  /// How many sections there are; one in a list without sections, none in a sectioned one without rows. O(1), but for
  /// the first time after a change, when an index has the rows: O(sections × log n).
  public var sectionCount: Int { snapshot.sections.count }

  /// What a section is called; `nil` in a list without sections, and where there is no such section. As
  /// ``sectionCount``.
  public func sectionName(_ section: Int) -> String? {
    let sections = snapshot.sections
    return sections.indices.contains(section) ? sections[section].name : nil
  }

  /// How many rows a section has; none where there is no such section. As ``sectionCount``.
  public func rowCount(inSection section: Int) -> Int {
    let sections = snapshot.sections
    return sections.indices.contains(section) ? sections[section].rowCount : 0
  }

  /// The object in a row, as the context has it. O(log n), and a read of the object if it is not live already.
  ///
  /// There must be such a row, as in an array. The object may have been deleted since the last batch, and then reads
  /// with its last values. Where the store cannot be read it is an object that is `.unreadable`.
  public func element(at path: RowPath) -> Element {
    guard let index = snapshot.index(of: path) else {
      preconditionFailure(
        "There is no row \(path) in a list of \(count) \(Element.entity.name) objects in \(sectionCount) sections. "
          + "Rows are good until the next batch.")
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

  /// The rows of all sections, as they are now: a collection that keeps showing this moment. While it is retained, so
  /// is the moment: rows in memory are shared with the list, and the store keeps what others save from then on, as for
  /// a context.
  ///
  /// An access costs O(log n), and a read of the object if it is not live already. Passing from row to row looks up 64
  /// at a time.
  public var rows: ListRows<Element> {
    guard let moment = shown else { return ListRows(SourceReader(self)) }
    return ListRows(MomentReader(moment, context))
  }

  /// The IDs of all rows, by section. O(n); no object is read.
  ///
  /// - Throws: ``StoreError``: the rows cannot be read.
  public var identifiers: ListIdentifiers<Element.ID> {
    get throws {
      _ = snapshot
      guard let moment else { throw failure ?? StoreError.closed(path: context.store.path) }
      return try moment.identifiers(of: Element.self)
    }
  }

  /// The URI of the object in a row; `nil` if there is no such row, or if it cannot be read. O(log n); the object
  /// itself is not read.
  public func modelIdentifier(at path: RowPath) -> ModelIdentifier? {
    guard let index = snapshot.index(of: path), let moment, let uuid = try? moment.object(at: index) else { return nil }
    return ModelIdentifier(ObjectURI(log: context.store.logID, entity: Element.entity.name, uuid: uuid).text)
  }

  /// Where the row of an object is. O(log n), and a read of the object.
  public func row(for id: Element.ID) -> RowLookup { row(of: id.uuid) }

  /// Where the row of an object is whose URI this is. As ``row(for:)-(Element.ID)``.
  ///
  /// An identifier that is not the URI of an object of this store gives ``RowLookup/foreignStore``. The entity in a URI
  /// is a hint: an object of another model is ``RowLookup/filteredOut``.
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

  /// Whether an object that is not in the list appeared after its moment: in the context, or through others' saves.
  private func isKnownSince(_ uuid: UniqueID, _ moment: ListMoment) throws(StoreError) -> Bool {
    let id = AnyObjectID(moment.map.entity.interned, uuid)
    if try context.projection.read(id, moment.map) != nil { return true }
    let store = context.store
    let head = store.pin()
    defer { store.unpin(head) }
    guard try store.values(of: uuid, moment.map, at: head) != nil else { return false }
    // Otherwise it was deleted in an overlay.
    return try store.values(of: uuid, moment.map, at: moment.projection.position) == nil
  }
}
