/// An enum that maps renamed or removed cases to present ones.
///
/// ```swift
/// enum Party: String, CaseAliasing {
///   case labour, liberal, independent
///   static var caseAliases: [String: Party] { ["whig": .liberal, "jacobite": .independent] }
/// }
/// ```
///
/// An object stored with a former case reads as the present one. Conditions for the present case find it, also with
/// indexes. The stored value stays until you assign the attribute. To write the present cases, run an update:
/// `update(Fetch<Member> { $0.party == .liberal }) { $0.party.set(to: .liberal) }`. Until then, sections, groups and
/// sort orders use the stored value. A unique index treats the two forms as different.
///
/// Without this protocol, a former case reads as the attribute's default. The stored value is then protected from being
/// overwritten by the default.
public protocol CaseAliasing: AttributeValue, RawRepresentable where RawValue: AttributeValue & Hashable {
  /// The present case for each raw value that no case has any more. Raw values of present cases are ignored.
  static var caseAliases: [RawValue: Self] { get }
}

extension CaseAliasing {
  /// Converts a stored value of a present or former case. Returns `nil` for another kind or any other raw value.
  public static func from(_ value: PropertyValue) -> Self? {
    guard let raw = RawValue.from(value) else { return nil }
    return Self(rawValue: raw) ?? caseAliases[raw]
  }

  /// The stored forms of the former cases, each with the form of its present case.
  public static var formerForms: [PropertyValue: PropertyValue] {
    var forms: [PropertyValue: PropertyValue] = [:]
    for (raw, value) in caseAliases where Self(rawValue: raw) == nil { forms[raw.propertyValue] = value.propertyValue }
    return forms
  }
}
