import RepriseCore

/// Names with the congresses in which they were used, as one attribute: stored as sorted lines of both.
///
/// The data has 130 such attributes; as properties, nearly all would be empty in most committees.
struct FormerNames: AttributeValue, Equatable {
  /// By the attribute's name in the data: `112`, or `names.93-102`.
  var byAttribute: [String: String] = [:]

  init() {}

  static var attributeKind: AttributeKind { .string }

  var propertyValue: PropertyValue {
    let lines = byAttribute.sorted { $0.key < $1.key }.map { "\(Escaped.text($0.key))\t\(Escaped.text($0.value))" }
    return lines.joined(separator: "\n").propertyValue
  }

  static func from(_ value: PropertyValue) -> FormerNames? {
    guard let lines = String.from(value) else { return nil }
    var names = FormerNames()
    for line in lines.split(separator: "\n") {
      guard let parts = Escaped.split(String(line), at: "\t"), parts.count == 2 else { return nil }
      names.byAttribute[parts[0]] = parts[1]
    }
    return names
  }
}
