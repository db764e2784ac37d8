import RepriseObjectModel

// Common mistakes, declared so that the compiler shows the correct form.

extension Field where Value == String {
  /// Holds if the text is empty. Does not hold for `nil`.
  public var isEmpty: Condition<Model> { self == "" }

  /// Unavailable: compare texts without case by ``equals(_:_:)``.
  @available(*, unavailable, message: "texts are compared without case by 'equals(_:_:)' with '.ignoringCase'")
  public func lowercased() -> Field { self }

  /// Unavailable: compare texts without case by ``equals(_:_:)``.
  @available(*, unavailable, message: "texts are compared without case by 'equals(_:_:)' with '.ignoringCase'")
  public func uppercased() -> Field { self }
}

extension ToManyField {
  /// Unavailable: use ``any(_:)``.
  @available(*, unavailable, renamed: "any")
  public func contains(where condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> { any(condition) }

  /// Unavailable: use ``all(_:)``.
  @available(*, unavailable, renamed: "all")
  public func allSatisfy(_ condition: (Element.Fields) -> Condition<Element>) -> Condition<Model> { all(condition) }
}
