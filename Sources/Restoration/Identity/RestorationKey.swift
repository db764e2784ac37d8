import RepriseObjectModel

/// The name under which an object is registered for restoration, typed in code and plain text on disk.
///
/// ```swift
/// static let items: RestorationKey<FetchedList<Item>> = "DataSource"
/// ```
public struct RestorationKey<Value>: Sendable, ExpressibleByStringLiteral {
  /// The restoration ID, in composed form (NFC).
  public let id: String

  /// Makes a key with this ID.
  ///
  /// The ID is checked when you register or define something under the key.
  public init(_ id: String) { self.id = ComposedText.composed(id) }

  /// Makes a key from a literal, as ``init(_:)`` does.
  public init(stringLiteral id: String) { self.init(id) }
}

/// The place in the program where something was registered, for errors that name both owners of an ID.
public struct RegistrationSite: Equatable, Sendable, CustomStringConvertible {
  /// The file and line, or another origin such as "the archive".
  public let description: String

  package init(_ file: StaticString, _ line: UInt) { description = "\(file):\(line)" }
  private init(_ description: String) { self.description = description }

  static let archive = RegistrationSite("the archive")
}
