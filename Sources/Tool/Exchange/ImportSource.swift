import RepriseCore

/// The content of a file, part by part, in the order of the file.
protocol ImportReader: AnyObject {
  /// The next part. `nil` at the end.
  func next() throws -> ImportPart?
  /// The part of the content that is read, from 0 to 1.
  var fraction: Double { get }
}

/// A step of an import. Only the first one is for all imports.
package enum ImportStep: Sendable {
  /// All of the content is read, and compared with the store.
  case checking
  /// The objects are saved.
  case saving
}

/// A part of a file.
enum ImportPart {
  case object(ImportedObject)
  case piece(BlobPiece)
}

/// Some of the bytes of a blob.
struct BlobPiece {
  let blob: Blob
  let offset: Int
  let bytes: [UInt8]
  let place: ImportError.Place

  var name: String { ExchangeValue.json(.blob(blob)).text ?? "" }
}
