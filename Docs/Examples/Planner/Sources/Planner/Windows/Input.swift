/// What a person did on a page. The page numbers its inputs.
struct Input: Decodable, Sendable {
  let number: Int
  let action: String
  /// The ID of an editor.
  var editor: String?
  var field: String?
  var text: String?
  var start: Int?
  var end: Int?
  var row: Int?
}

struct InputBatch: Decodable, Sendable {
  let page: String
  let inputs: [Input]
  /// Whether inputs before the first one are lost, so that nobody can send them.
  var hasGap: Bool?
}

struct InputAnswer: Encodable, Sendable {
  /// The number of the last applied input. The page sends the inputs after it again.
  let applied: Int
}
