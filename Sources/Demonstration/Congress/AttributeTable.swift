#if Macros
import RepriseCore

/// A model whose objects come from the history.
protocol HistoryModel: PersistentModel {
  var key: String { get }
  init(key: String)
  /// Maps the attributes of the data to properties.
  static func describe(_ attributes: inout AttributeTable<Self>)
}

/// The attributes of the data, each with its property.
struct AttributeTable<Model: HistoryModel> {
  private struct Entry {
    /// False for a value of the wrong kind.
    let set: (Model, JSON?) -> Bool
    /// The form in the canonical text; `nil` if the object lacks the attribute.
    let canonical: (Model) -> String?
  }

  private var entries: [String: Entry] = [:]
  private var others: WritableOthers?

  private typealias WritableOthers = ReferenceWritableKeyPath<Model, FormerNames?>

  init() { Model.describe(&self) }

  /// An attribute that every object has.
  mutating func add<Value: HistoryValue>(_ name: String, _ path: ReferenceWritableKeyPath<Model, Value>) {
    entries[name] = Entry(
      set: { object, json in
        guard let value = json.flatMap(Value.init(json:)) else { return false }
        object[keyPath: path] = value
        return true
      }, canonical: { $0[keyPath: path].canonical })
  }

  /// An attribute that an object may lack.
  mutating func add<Value: HistoryValue>(_ name: String, _ path: ReferenceWritableKeyPath<Model, Value?>) {
    entries[name] = Entry(
      set: { object, json in
        let value = json.map(Value.init(json:))
        if case .some(.none) = value { return false }
        object[keyPath: path] = value ?? nil
        return true
      }, canonical: { $0[keyPath: path]?.canonical })
  }

  /// Sets the property for attributes without one of their own.
  mutating func addOthers(_ path: ReferenceWritableKeyPath<Model, FormerNames?>) { others = path }

  /// Sets an attribute, or clears it if there is no value; false if there is no such attribute, or the value does not
  /// fit it.
  func set(_ name: String, of object: Model, to json: JSON?) -> Bool {
    if let entry = entries[name] { return entry.set(object, json) }
    guard let others, json == nil || json?.string != nil else { return false }
    var names = object[keyPath: others] ?? FormerNames()
    names.byAttribute[name] = json?.string
    object[keyPath: others] = names.byAttribute.isEmpty ? nil : names
    return true
  }

  /// All attributes that an object has, by name.
  func canonical(_ object: Model) -> [(name: String, value: String)] {
    var found: [(name: String, value: String)] = entries.compactMap { name, entry in
      entry.canonical(object).map { (name, $0) }
    }
    if let others {
      found += (object[keyPath: others]?.byAttribute ?? [:]).map { ($0.key, $0.value.canonical) }
    }
    return found
  }
}

/// A type of value in the data.
protocol HistoryValue {
  init?(json: JSON)
  var canonical: String { get }
}

extension String: HistoryValue {
  init?(json: JSON) {
    guard let text = json.string else { return nil }
    self = text
  }
  var canonical: String { "s:" + Escaped.text(self) }
}

extension Int: HistoryValue {
  init?(json: JSON) {
    guard let number = json.integer else { return nil }
    self = number
  }
  var canonical: String { "i:\(self)" }
}

extension TextList: HistoryValue {
  init?(json: JSON) {
    guard let list = json.array else { return nil }
    elements = list.compactMap(\.string)
    if elements.count != list.count { return nil }
  }
  var canonical: String { "a:" + joined }
}

extension HistoryValue where Self: RawRepresentable, RawValue == String {
  init?(json: JSON) {
    guard let text = json.string else { return nil }
    self.init(rawValue: text)
  }
  var canonical: String { rawValue.canonical }
}

extension Gender: HistoryValue {}
extension Seat: HistoryValue {}
extension Chamber: HistoryValue {}
extension Side: HistoryValue {}
#endif
