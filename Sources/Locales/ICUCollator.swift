#if os(Linux) && canImport(_FoundationICU)
internal import RepriseObjectModel
internal import RepriseSystem
internal import _FoundationICU

/// A collator of ICU, whose attributes never change. It is never closed, because a process has few collators and keeps
/// them.
final class ICUCollator: Sendable {
  // ICU's guide is contradictory about whether collators are bound to a thread. The lock costs a hundredth of a key.
  private let collator: Guarded<OpaquePointer>
  /// Changes with everything that keys are made of: the code, the root order and the language's rules.
  let version: UInt32

  /// - Parameter rules: `nil` for a collator that distinguishes only letters.
  init?(_ tag: String, _ rules: Collation.Rules?) {
    var status = U_ZERO_ERROR
    guard isOrderKnown(tag), let collator = swift_ucol_open(tag, &status) else { return nil }
    let ignored = rules ?? [.ignoringCase, .ignoringDiacritics]
    let strength =
      ignored.contains(.ignoringDiacritics)
      ? UCOL_PRIMARY : ignored.contains(.ignoringCase) ? UCOL_SECONDARY : UCOL_TERTIARY
    let hasCaseLevel = ignored.contains(.ignoringDiacritics) && !ignored.contains(.ignoringCase)
    status = U_ZERO_ERROR
    for (attribute, value) in [
      (UCOL_STRENGTH, strength), (UCOL_CASE_LEVEL, hasCaseLevel ? UCOL_ON : UCOL_OFF),
      (UCOL_NUMERIC_COLLATION, ignored.contains(.natural) ? UCOL_ON : UCOL_OFF), (UCOL_NORMALIZATION_MODE, UCOL_ON),
    ] { swift_ucol_setAttribute(collator, attribute, value, &status) }
    guard status.rawValue <= U_ZERO_ERROR.rawValue else {
      swift_ucol_close(collator)
      return nil
    }
    var parts: [UInt8] = [0, 0, 0, 0]
    swift_ucol_getVersion(collator, &parts)
    version = parts.reduce(0) { $0 << 8 | UInt32($1) }
    self.collator = Guarded(collator)
  }

  /// ICU's sort key without the 0 at its end.
  func key(of text: String) -> [UInt8] {
    let utf16 = Array(text.utf16)
    return collator.withLock { collator in
      var key = [UInt8](repeating: 0, count: 3 * utf16.count + 16)
      func fill() -> Int {
        Int(swift_ucol_getSortKey(collator, utf16, Int32(clamping: utf16.count), &key, Int32(clamping: key.count)))
      }
      var length = fill()
      if length > key.count {
        key = [UInt8](repeating: 0, count: length)
        length = fill()
      }
      key.removeLast(key.count - max(0, length - 1))
      return key
    }
  }

  /// The least text of each script in the root order.
  static let scriptBoundaries: [String] = {
    var status = U_ZERO_ERROR
    guard let root = swift_ucol_open("und", &status), let set = swift_uset_openEmpty() else { return [] }
    defer {
      swift_uset_close(set)
      swift_ucol_close(root)
    }
    swift_ucol_getContractionsAndExpansions(root, set, nil, 0, &status)
    return texts(in: set).filter { $0.unicodeScalars.first?.value == 0xFDD1 }
  }()

  /// The texts of a set, including single characters.
  static func texts(in set: OpaquePointer) -> [String] {
    var texts: [String] = []
    for item in 0..<swift_uset_getItemCount(set) {
      var (first, last): (UChar32, UChar32) = (0, 0)
      var status = U_ZERO_ERROR
      var buffer = [UInt16](repeating: 0, count: 64)
      let length = Int(swift_uset_getItem(set, item, &first, &last, &buffer, Int32(buffer.count), &status))
      if length >= 2, length <= buffer.count {
        texts.append(String(decoding: buffer.prefix(length), as: UTF16.self))
      } else if length == 0, first <= last {
        texts += (first...last).compactMap { Unicode.Scalar(UInt32(bitPattern: $0)).map { String($0) } }
      }
    }
    return texts
  }
}
#endif
