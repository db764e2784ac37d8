import RepriseEventStore
import RepriseObjectGraph
import RepriseObjectModel

/// Reads the rows of a moment. If rows are read in sequence, it looks up the next ones together.
final class MomentReader<Element: PersistentModel>: RowReader {
  private let moment: ListMoment
  private let context: ObjectContext
  /// The objects that were looked up last, and the index of the first.
  private var known: (start: Int, objects: [UniqueID]) = (0, [])

  private static var most: Int { 64 }

  init(_ moment: ListMoment, _ context: ObjectContext) {
    self.moment = moment
    self.context = context
  }

  var count: Int { moment.count }

  func element(at index: Int) -> Element { Element.of(instance(at: index)) }

  private func instance(at index: Int) -> any PersistentModel {
    let end = known.start + known.objects.count
    if index < known.start || index >= end {
      // A read next to the known rows begins a walk.
      let isNext = index == end && end > 0
      let isPrevious = index + 1 == known.start
      let size = isNext || isPrevious ? min(Self.most, known.objects.count * 4) : 1
      let start = isPrevious ? max(0, index + 1 - size) : index
      do throws(StoreError) {
        known = (start, try moment.objects(at: start..<min(count, start + size)))
      } catch {
        // The look-up of several rows may fail because of another row, so this row is read alone.
        return moment.instance(at: index, context)
      }
    }
    return context.instance(
      of: AnyObjectID(moment.map.entity.interned, known.objects[index - known.start]), moment.map,
      seenIn: moment.projection)
  }
}

extension ListMoment {
  /// The object in the row at an index, which must exist. If the row cannot be read, returns an unreadable object.
  func instance(at index: Int, _ context: ObjectContext) -> any PersistentModel {
    do throws(StoreError) {
      let id = AnyObjectID(map.entity.interned, try object(at: index))
      return context.instance(of: id, map, seenIn: projection)
    } catch {
      return context.unreadableInstance(map.entity, error)
    }
  }
}

extension PersistentModel {
  /// An object that a map has made, with the type of its model.
  static func of(_ object: any PersistentModel) -> Self {
    guard let object = object as? Self else {
      // invariant: a map makes objects of the model that it was looked up for.
      preconditionFailure()
    }
    return object
  }
}
