/// A model whose objects check rules that concern several properties at once.
///
/// ```swift
/// extension Trip: ValidatableModel {
///   func validate(_ violations: inout Violations<Trip>) {
///     if end < start { violations.add("ends before it begins", \.start, \.end) }
///   }
/// }
/// ```
///
/// The conformance must be visible where the model's ``Entity`` is made. Declare it in the module of the class, and not
/// as `private`.
public protocol ValidatableModel: PersistentModel {
  /// Adds the violations of the object's rules.
  ///
  /// The method may read the object and related objects, but must not change anything. `violations()` calls the method,
  /// and so does a save for each object that the save inserts or changes. The call runs in the isolation of the
  /// object's context. During a save, the object has the values that the save will store. If another save has changed
  /// other properties in the meantime, the method is called again, for the merged object.
  ///
  /// Other objects have the values that the context sees. Two saves at the same time may change two objects that break
  /// a rule together. Then it is possible that neither call finds the violation.
  func validate(_ violations: inout Violations<Self>)
}

/// The violations that ``ValidatableModel/validate(_:)`` finds for an object.
public struct Violations<Model: PersistentModel> {
  private let object: Model
  package private(set) var all: [RuleViolation] = []

  init(of object: Model) { self.object = object }

  /// Adds a violation.
  ///
  /// - Parameters:
  ///   - text: The problem as text for people: "ends before it begins".
  ///   - properties: The key paths of the properties concerned. The violation includes their values, and a form can
  ///     show it next to them.
  public mutating func add(_ text: String, _ properties: PartialKeyPath<Model>...) {
    let names = properties.isEmpty ? [:] : Model._keyPaths
    add(text, of: properties.compactMap { names[$0] })
  }

  /// Adds a violation of properties by name, for models without key paths. Unknown names are left out.
  public mutating func add(_ text: String, of names: [String]) {
    let storage = object._storage
    let slots = names.compactMap { name in storage.entity.slot(named: name) }
    all.append(
      RuleViolation(
        object: storage.id, properties: slots.map { storage.entity.properties[$0].name },
        values: slots.map(storage.value), rule: .object(text)))
  }
}
