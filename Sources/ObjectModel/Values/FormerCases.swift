/// An enum that says what became of cases that were renamed or dropped.
///
/// ```swift
/// enum Party: String, FormerCases {
///   case labour, liberal, independent
///   static var formerCases: [String: Party] { ["whig": .liberal, "jacobite": .independent] }
/// }
/// ```
///
/// Objects that were stored with a former case read as what became of it, and conditions for that find them, with
/// indexes as well. What is stored stays until it is assigned; an update of what a fetch finds writes the present
/// cases: `update(Fetch<Member> { $0.party == .liberal }) { $0.party.set(to: .liberal) }`. Until then sections, groups
/// and orders have what is stored, and to a unique index the two are different. Without the protocol a former case
/// reads as the attribute's default, and what is stored is kept from being overwritten by it.
public protocol FormerCases: AttributeValue, RawRepresentable where RawValue: AttributeValue & Hashable {
  /// By raw values that no case has any more: what became of them. A case that has the raw value goes before.
  static var formerCases: [RawValue: Self] { get }
}

extension FormerCases {
  /// From the stored form of a present or a former case; `nil` for another kind, or any other raw value.
  public static func from(_ value: PropertyValue) -> Self? {
    guard let raw = RawValue.from(value) else { return nil }
    return Self(rawValue: raw) ?? formerCases[raw]
  }

  /// Those of the former cases.
  public static var formerForms: [PropertyValue: PropertyValue] {
    var forms: [PropertyValue: PropertyValue] = [:]
    for (raw, value) in formerCases where Self(rawValue: raw) == nil { forms[raw.propertyValue] = value.propertyValue }
    return forms
  }
}
