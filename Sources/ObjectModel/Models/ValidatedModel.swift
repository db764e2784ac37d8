/// A model whose objects keep rules that no rule of one attribute can tell.
///
/// ```swift
/// extension Trip: ValidatedModel {
///   func validate(_ violations: inout Violations<Trip>) {
///     if end < start { violations.add("ends before it begins", \.start, \.end) }
///   }
/// }
/// ```
///
/// The conformance must be visible where the model's ``Entity`` is made: in the module of the class, not `private`.
public protocol ValidatedModel: PersistentModel {
  /// Adds what is wrong with the object. It may read the object, and what it is related to, and must change nothing.
  ///
  /// Called for each object that a save inserts or changes, in the isolation of its context, and by `violations()`.
  /// At a save it sees the object as the save will leave it: where others changed other properties of it meanwhile, it
  /// is called again with both. What it reads of other objects is as the context sees them: if two saves change two
  /// objects that break a rule together, neither may notice.
  func validate(_ violations: inout Violations<Self>)
}

/// What is wrong with an object by its own rules, for ``ValidatedModel/validate(_:)`` to add to.
public struct Violations<Model: PersistentModel> {
  private let object: Model
  package private(set) var all: [RuleViolation] = []

  init(of object: Model) { self.object = object }

  /// Adds a violation.
  ///
  /// - Parameters:
  ///   - text: What is wrong, as people read it: "ends before it begins".
  ///   - properties: Those that it is about, by key path: forms show it there. Their values go with it.
  public mutating func add(_ text: String, _ properties: PartialKeyPath<Model>...) {
    let names = properties.isEmpty ? [:] : Model._keyPaths
    add(text, of: properties.compactMap { names[$0] })
  }

  /// Adds a violation of properties by their names, for models without key paths. Names that the model does not have
  /// are left out.
  public mutating func add(_ text: String, of names: [String]) {
    let storage = object._storage
    let slots = names.compactMap { name in storage.entity.slot(named: name) }
    all.append(
      RuleViolation(
        object: storage.id, properties: slots.map { storage.entity.properties[$0].name },
        values: slots.map(storage.value), rule: .object(text)))
  }
}
