import RepriseObjectModel

extension PropertyDifference {
  /// The same change as a save would log it: of long texts and long bytes, only the part that differs.
  package var spliced: PropertyDifference {
    switch form {
    case .value(.string(var old), .string(var new)):
      let form: Form? = old.withUTF8 { old in
        new.withUTF8 { new in
          let splice = Splice(from: UnsafeRawBufferPointer(old), to: UnsafeRawBufferPointer(new), isText: true)
          guard splice.saves(over: old.count + new.count) else { return nil }
          return .text(
            offset: splice.offset, removed: String(decoding: splice.removed, as: UTF8.self),
            inserted: String(decoding: splice.inserted, as: UTF8.self))
        }
      }
      return form.map { PropertyDifference(property: property, form: $0) } ?? self
    case .value(.bytes(let old), .bytes(let new)):
      let form: Form? = old.withUnsafeBytes { old in
        new.withUnsafeBytes { new in
          let splice = Splice(from: old, to: new, isText: false)
          guard splice.saves(over: old.count + new.count) else { return nil }
          return .bytes(offset: splice.offset, removed: Array(splice.removed), inserted: Array(splice.inserted))
        }
      }
      return form.map { PropertyDifference(property: property, form: $0) } ?? self
    default: return self
    }
  }
}
