#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The version of the operating system.
package enum SystemVersion {
  /// Such as "Linux 6.8.0-45" or "Darwin 24.1.0". Empty if the system does not tell.
  package static func text() -> String {
    var names = utsname()
    guard uname(&names) == 0 else { return "" }
    return text(&names.sysname) + " " + text(&names.release)
  }

  private static func text<Field>(_ field: inout Field) -> String {
    withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
