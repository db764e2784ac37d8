/// The reason why a pattern cannot be used, and the place of the error in the pattern, counted in Unicode scalars.
struct PatternError: Error, Hashable {
  let offset: Int
  let reason: String
}
