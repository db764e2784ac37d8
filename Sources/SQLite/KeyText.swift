#if SQLite && canImport(GRDB)
import GRDB
import RepriseCore

extension KeyText {
  static func text(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: "n"
    case .int64(let number): "i\(number)"
    case .double(let number): "r" + String(number.bitPattern, radix: 16)
    case .string(let text): "t" + escaped(text)
    case .blob(let data): "b" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }
}
#endif
