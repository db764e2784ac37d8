import RepriseLMDB
import RepriseObjectModel

extension Table {
  /// Has the bytes of a row parsed. The one place where what a parser cannot read becomes an error of the storage.
  ///
  /// - Parameter what: What the row holds, as an error names it.
  @inline(__always)
  func parsing<Result>(
    _ key: @autoclosure () -> [UInt8], _ what: @autoclosure () -> String, _ body: () throws(MalformedBytes) -> Result
  ) throws(StorageError) -> Result {
    do throws(MalformedBytes) { return try body() } catch { throw damaged(key(), "\(what()): \(error)") }
  }
}
