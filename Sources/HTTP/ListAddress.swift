#if HTTP
import Foundation
import RepriseRemote

/// The URL of a list, and the URLs of its pages and rows.
struct ListAddress {
  let url: String
  private let components: URLComponents

  init(_ url: String) throws {
    guard Self.isURL(url), let components = URLComponents(string: url), components.host != nil else {
      throw RemoteError.malformed(reason: Self.flaw(of: url))
    }
    self.url = url
    self.components = components
  }

  /// The reason why a text is not the URL of a list.
  static func flaw(of url: String) -> String {
    "the URL '\(url)' of the JSONTransport is not an http or https URL with a host"
  }

  func page(_ request: RemoteRequest, _ pageParameter: String, _ cursorParameter: String) throws -> String {
    if let page = request.page, Self.isURL(page) { return try sameOrigin(page) }
    var components = components
    var items = components.queryItems ?? []
    if let cursor = request.cursor { items.append(URLQueryItem(name: cursorParameter, value: cursor)) }
    if let page = request.page { items.append(URLQueryItem(name: pageParameter, value: page)) }
    if !items.isEmpty {
      components.queryItems = items
      // Most servers read a plus sign as a space, and `URLComponents` does not encode it.
      components.percentEncodedQuery = components.percentEncodedQuery?.replacing("+", with: "%2B")
    }
    return components.string ?? url
  }

  func row(_ id: String) throws -> String {
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "/;")
    guard let name = id.addingPercentEncoding(withAllowedCharacters: allowed), !name.isEmpty, name != ".", name != ".."
    else { throw RemoteError.unsendable(reason: "the identifier '\(id)' cannot be a part of a URL") }
    var components = components
    components.query = nil
    let path = components.percentEncodedPath
    components.percentEncodedPath = (path.hasSuffix("/") ? path : path + "/") + name
    return components.string ?? url
  }

  /// A page as the server named it. A relative reference becomes a whole URL.
  func token(_ page: String) throws -> String {
    Self.isURL(page) || page.hasPrefix("/") || page.hasPrefix("?") ? try sameOrigin(page) : page
  }

  /// The URL that a server refers to. It must have the list's origin, because the headers with the program's
  /// credentials are sent to it.
  func sameOrigin(_ reference: String) throws -> String {
    guard let base = URL(string: url), let there = URL(string: reference, relativeTo: base)?.absoluteURL,
      let other = URLComponents(url: there, resolvingAgainstBaseURL: true),
      other.scheme?.lowercased() == components.scheme?.lowercased(),
      other.host?.lowercased() == components.host?.lowercased(), other.port == components.port
    else {
      throw RemoteError.malformed(
        reason: "the answer refers to '\(reference)', which does not have the scheme, host and port of the list")
    }
    return there.absoluteString
  }

  private static func isURL(_ text: String) -> Bool { text.hasPrefix("http://") || text.hasPrefix("https://") }
}
#endif
