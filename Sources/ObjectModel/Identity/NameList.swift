/// Names, numbered in order of their first use.
///
/// A short list is searched linearly. A dictionary would cost more than it saves, because its metadata is instantiated
/// at each start of a process.
package struct NameList: Sendable {
  package private(set) var names: [String] = []
  /// An index of all names, once there are many.
  private var places: [String: Int] = [:]
  /// The place found last. Most look-ups ask for it again.
  private var last = 0

  private static let few = 64

  package init() {}

  package var count: Int { names.count }
  package subscript(place: Int) -> String { names[place] }

  package func place(of name: String) -> Int? {
    names.count > Self.few ? places[name] : names.firstIndex(of: name)
  }

  /// The place of a name, which is appended if it is new.
  package mutating func add(_ name: String) -> Int {
    if last < names.count, names[last] == name { return last }
    if let place = place(of: name) {
      last = place
      return place
    }
    last = names.count
    names.append(name)
    if names.count == Self.few + 1 {
      for (place, name) in names.enumerated() { places[name] = place }
    } else if names.count > Self.few {
      places[name] = last
    }
    return last
  }

  package mutating func removeAll(keepingCapacity: Bool = false) {
    names.removeAll(keepingCapacity: keepingCapacity)
    places.removeAll(keepingCapacity: keepingCapacity)
  }
}
