/// The name of a property as a coding key.
package struct PropertyKey: CodingKey, Hashable {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(_ name: String) { stringValue = name }
  package init(stringValue: String) { self.init(stringValue) }
  package init?(intValue: Int) { nil }

  package static var id: PropertyKey { PropertyKey("id") }
}
