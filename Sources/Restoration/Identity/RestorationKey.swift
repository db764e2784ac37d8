import RepriseObjectModel

/// The name under which an object is registered for restoration: typed in code, a plain string on disk.
///
/// ```swift
/// static let items: RestorationKey<FetchedList<Item>> = "DataSource"
/// ```
public struct RestorationKey<Value>: Sendable, ExpressibleByStringLiteral {
  /// The restoration ID, in its composed form (NFC).
  public let id: String

  /// A key with this ID, which is checked when something is registered under it.
  public init(_ id: String) { self.id = ComposedText.composed(id) }

  public init(stringLiteral id: String) { self.init(id) }
}

/// Where in the program something was registered, for errors that name both owners of an ID.
public struct RegistrationSite: Hashable, Sendable, CustomStringConvertible {
  /// File and line, or where else the owner came from.
  public let description: String

  init(_ file: StaticString, _ line: UInt) { description = "\(file):\(line)" }
  private init(_ description: String) { self.description = description }

  static let archive = RegistrationSite("the archive")
}
