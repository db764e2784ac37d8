#if PostgreSQL && canImport(CReprisePostgreSQL)
import RepriseCore

extension KeyText {
  static func text(_ value: String?) -> String { value.map { "t" + escaped($0) } ?? "n" }
}
#endif
