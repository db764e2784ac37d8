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
}

extension PageFailure {
  var status: Int {
    switch self {
    case .missing, .notANumber, .body, .tooFar: 400
    case .readOnly: 403
    case .noPath, .noValue: 404
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
    }
  }
}
