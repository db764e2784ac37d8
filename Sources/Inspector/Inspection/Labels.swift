import RepriseCore

/// Texts for objects that other objects refer to.
final class Labels {
  private let context: ObjectContext
  private var labels: [AnyObjectID: String?] = [:]

  init(_ context: ObjectContext) { self.context = context }

  /// The value of the attribute that is most likely to name an object. `nil` if the entity has no text, and for an
  /// object that does not exist at this moment.
  func label(of id: AnyObjectID) -> String? {
    if let known = labels[id] { return known }
    let label = (try? context.object(id)).flatMap { Self.label(of: $0) }
    labels[id] = label
    return label
  }

  static func label(of object: any PersistentModel) -> String? {
    let texts = type(of: object).entity.attributes.filter { $0.kind == .attribute(.string) }.map(\.name)
    guard let name = ["name", "title", "label"].first(where: texts.contains) ?? texts.first,
      case .string(let text)? = try? object[name]
    else { return nil }
    return String(text.prefix(80))
  }
}
