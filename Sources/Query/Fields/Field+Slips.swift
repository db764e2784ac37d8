import RepriseObjectModel

// What is often written and means nothing, so that the compiler says what to write instead.

extension Field where Value == String {
  /// Holds where the text is empty, and not of nil.
  public var isEmpty: Condition<Model> { self == "" }

  /// Not a field.
  @available(*, unavailable, message: "texts are compared without case by 'equals(_:_:)' with '.ignoringCase'")
  public func lowercased() -> Field { self }

  /// Not a field.
  @available(*, unavailable, message: "texts are compared without case by 'equals(_:_:)' with '.ignoringCase'")
  public func uppercased() -> Field { self }
}

extension ToManyField {
  /// Not so named here.
  @available(*, unavailable, renamed: "any")
  public func contains(where condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> { any(condition) }

  /// Not so named here.
  @available(*, unavailable, renamed: "all")
  public func allSatisfy(_ condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> { all(condition) }
}
