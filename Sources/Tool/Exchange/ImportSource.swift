import RepriseCore

/// The content of a file, part by part, in the order of the file.
protocol ImportReader: AnyObject {
  /// The next part. `nil` at the end.
  func next() throws -> ImportPart?
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
