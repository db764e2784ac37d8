import Foundation
import RepriseCore

/// A plug-in as a stranger writes it, with the public interface alone: the lines of a text file, told apart by their
/// first words.
public struct LinesQuery: FollowedQuery {
  public let identifierPrefix = "lines:"
  let path: String

  public init(_ path: String) { self.path = path }

  public func connect() throws -> LinesConnection { LinesConnection(path) }
}

/// Reads the file.
public final class LinesConnection: QueryConnection {
  private let path: String
  private var content: String?

  init(_ path: String) { self.path = path }

  public func mayHaveChanged() throws -> Bool { try String(contentsOfFile: path, encoding: .utf8) != content }

  public func answer(limit: Int) throws -> QueryAnswer<String> {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    content = text
    let lines = text.split(separator: "\n").map(String.init)
    return QueryAnswer(
      Array(lines.prefix(limit)),
      identifiers: lines.prefix(limit).map { ModelIdentifier(prefix: "lines:", key: String($0.prefix { $0 != " " })) },
      hasMore: lines.count > limit)
  }
}
