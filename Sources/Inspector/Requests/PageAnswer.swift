import Foundation
import RepriseCore
import RepriseDynamic
import RepriseTool

/// An answer to the page.
package struct PageAnswer: Sendable {
  package enum Body: Sendable {
    case bytes([UInt8])
    /// The content of a blob, which may be larger than the memory.
    case blob(Blob)
    /// Bytes that the closure writes one after the other.
    case stream(@Sendable (([UInt8]) async throws -> Void) async throws -> Void)
  }

  package var status = 200
  package var type: String
  /// The name of the file to save the body as. `nil` to show it.
  package var fileName: String?
  /// Whether a browser may keep the answer. The path has the token, so another inspector has other paths.
  package var isConstant = false
  package var body: Body
}

extension PageAnswer {
  init(_ json: JSON, status: Int = 200) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers that JSON lacks have become texts before.
    let data = (try? encoder.encode(json)) ?? Data("null".utf8)
    self.init(status: status, type: "application/json", body: .bytes([UInt8](data)))
  }

  /// The answer to a request that failed.
  init(_ error: any Error) {
    var json: [String: JSON] = ["message": .text(CommandWords.of(error))]
    var status = 500
    switch error {
    case let failure as PageFailure:
      status = failure.status
      if case .notResumed = failure { json["isClosed"] = .bool(true) }
    case let error as FetchTextError:
      status = 400
      json["line"] = .int(error.place.line)
      json["column"] = .int(error.place.column)
      json["offset"] = .int(error.place.utf8Offset)
    case ToolError.noDraft: status = 404
    case ToolError.draftConflicts(_, let count):
      status = 409
      json["conflictCount"] = .int(count)
    case ToolError.draftOfParent, ToolError.unreadableDraft: status = 409
    case is FetchError, is ToolError, is PropertyError: status = 400
    case is RevertError, is RevertPlanError, is DraftError, is SaveError: status = 409
    case StoreError.truncated, StoreError.otherLog: status = 404
    case StoreError.closed: status = 503
    default: break
    }
    self.init(.object(json), status: status)
  }
}
