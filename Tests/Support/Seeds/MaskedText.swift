extension String {
  /// With N in place of each number, and […] in place of each list: what depends on random numbers.
  package var masked: String {
    var (masked, depth, isNumber) = ("", 0, false)
    for character in self {
      if character == "[" {
        depth += 1
        if depth == 1 { masked += "[…]" }
      } else if depth == 0, !character.isNumber || !isNumber {
        masked.append(character.isNumber ? "N" : character)
      }
      if character == "]" { depth -= 1 }
      isNumber = character.isNumber
    }
    return masked
  }
}
