/// A key and its value in the mapped file: valid as long as the view that it was read from.
@frozen package struct Entry: ~Escapable {
  package let key: RawSpan
  package let value: RawSpan

  @_lifetime(copy key, copy value)
  init(key: RawSpan, value: RawSpan) {
    self.key = key
    self.value = value
  }
}
