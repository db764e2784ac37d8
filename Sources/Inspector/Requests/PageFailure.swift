import RepriseTool

/// A request that the page should not have made.
package enum PageFailure: Error, Equatable {
  /// A parameter has no value.
  case missing(String)
  /// A parameter is not a number from 0.
  case notANumber(String, String)
  /// There is nothing at the path.
  case noPath(String)
  /// The body of a request is not JSON of the expected form.
  case body(String)
  /// The page may only read.
  case readOnly
  /// The object has no such value.
  case noValue(String)
  /// The page has cancelled the request.
  case cancelled
  /// The store has no index for the order of rows so far down.
  case tooFar(limit: Int)
  /// The page has not resumed the draft, or has closed it since.
  case notResumed(String)
  /// Another context has the draft. The process is unknown if it has just ended.
  case draftInUse(String, process: Int32?)
  /// The draft belongs to the draft of a parent context.
  case resumedInParent(String, parent: String)
  /// The draft is being saved.
  case draftIsEnding(String)
  /// The text is no value of the attribute.
  case notAValue(String, String, hint: String)
  /// The attribute must have a value.
  case noNil(String, hint: String)
  /// The page has no field for the property.
  case notEditable(String)
}

extension PageFailure {
  var status: Int {
    switch self {
    case .missing, .notANumber, .body, .tooFar, .notAValue, .noNil, .notEditable: 400
    case .readOnly: 403
    case .noPath, .noValue: 404
    case .notResumed, .draftInUse, .resumedInParent, .draftIsEnding: 409
    case .cancelled: 499
    }
  }
}

extension PageFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing(let name): "The request lacks '\(name)'. Reload the page."
    case .notANumber(let name, let text): "'\(PlainText.line(text))' is no number for '\(name)'. Write a number from 0."
    case .noPath(let path): "The inspector has nothing at '\(PlainText.line(path))'. Reload the page."
    case .body(let reason): "The body of the request cannot be read: \(PlainText.line(reason)) Reload the page."
    case .readOnly: "This inspector only reads. Start it for editing, with 'reprise inspect --edit'."
    case .noValue(let name): "The object has no value '\(PlainText.line(name))' to load. It may have changed since."
    case .cancelled: "The page cancelled the request before it had the answer. Repeat the request if you need it."
    case .tooFar(let limit):
      "The store has no index in this order, so the page has only its first \(limit) rows. Add a condition, or sort by "
        + "an indexed property."
    case .notResumed(let id):
      "The draft '\(PlainText.line(id))' is not open here, because somebody closed, saved or discarded it. Look for it "
        + "in the list of drafts, and resume it again."
    case .draftInUse(let id, let process):
      "The draft '\(PlainText.line(id))' is in use by \(process.map { "process \($0)" } ?? "another process"). "
        + "Close it there first, and resume it here then."
    case .resumedInParent(let id, let parent):
      "The draft '\(PlainText.line(id))' is a part of the draft '\(PlainText.line(parent))'. Resume that one."
    case .draftIsEnding(let id):
      "The draft '\(PlainText.line(id))' is being saved, so it cannot change. Try again when the save has ended."
    case .notAValue(let text, let name, let hint):
      "'\(PlainText.line(String(text.prefix(80))))' is no value for '\(PlainText.line(name))'. Nothing was changed. "
        + hint
    case .noNil(let name, let hint): "'\(PlainText.line(name))' cannot be nil. Nothing was changed. \(hint)"
    case .notEditable(let name):
      "'\(PlainText.line(name))' cannot be edited here, because it is data, a relationship or derived. Edit it in the "
        + "program of the store."
    }
  }
}
