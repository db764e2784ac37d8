import Foundation
import RepriseRemote

/// A line of a text file that programs share.
public struct Line: Codable, Hashable, Sendable {
  public var id: String?
  public var text: String
  public var version = 0

  public init(id: String? = nil, text: String, version: Int = 0) {
    (self.id, self.text, self.version) = (id, text, version)
  }
}

/// A transport as a stranger writes it: to it, a file is a server, whose lines are the rows. Beside the file it keeps
/// what it answered to changes, so that none is made twice.
public struct LinesTransport: RemoteTransport {
  /// What the file has.
  private struct Content: Codable {
    var lines: [Line] = []
    var nextID = 1
    var revision = 0
    /// By idempotency keys.
    var answers: [String: Line?] = [:]
  }

  private let path: String
  private let pageSize: Int

  public init(_ path: String, pageSize: Int = 3) { (self.path, self.pageSize) = (path, pageSize) }

  /// An empty file.
  public static func make(at path: String) throws { try write(Content(), path) }

  public func read(_ request: RemoteRequest) async throws -> RemoteReading<Line> {
    let content = try content()
    let validator = "\(content.revision)"
    if request.validator == validator { return .unmodified }
    let start = request.page.flatMap { Int($0) } ?? 0
    let end = min(start + pageSize, content.lines.count)
    return .page(
      RemotePage(
        records: start < end ? Array(content.lines[start..<end]) : [],
        nextPage: end < content.lines.count ? "\(end)" : nil, validator: validator))
  }

  public func send(_ change: RemoteChange<Line>) async throws -> RemoteAnswer<Line> {
    var content = try content()
    let key = "\(change.idempotencyKey)"
    if let answer = content.answers[key] { return .accepted(answer) }
    let index = change.id.flatMap { id in content.lines.firstIndex { $0.id == id } }
    var answer: Line?
    switch change.kind {
    case .create:
      guard var line = change.record else { return .refused(reason: "there is no line") }
      if line.text.isEmpty { return .refused(reason: "an empty line") }
      line.id = change.id ?? "\(content.nextID)"
      line.version = 1
      content.nextID += 1
      content.lines.append(line)
      answer = line
    case .update:
      guard let index, let line = change.record else { return .gone }
      if line.text.isEmpty { return .refused(reason: "an empty line") }
      if content.lines[index].version != line.version { return .changed(content.lines[index]) }
      content.lines[index].text = line.text
      content.lines[index].version += 1
      answer = content.lines[index]
    case .delete:
      if let index { content.lines.remove(at: index) }
    }
    content.revision += 1
    content.answers[key] = .some(answer)
    try Self.write(content, path)
    return .accepted(answer)
  }

  private func content() throws -> Content {
    do {
      return try JSONDecoder().decode(Content.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    } catch let error as DecodingError {
      throw RemoteError.malformed(reason: "\(error)")
    } catch {
      throw RemoteError.unavailable(reason: error.localizedDescription, retryAfter: nil)
    }
  }

  private static func write(_ content: Content, _ path: String) throws {
    do {
      try JSONEncoder().encode(content).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw RemoteError.unavailable(reason: error.localizedDescription, retryAfter: nil)
    }
  }
}
