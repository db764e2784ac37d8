/// Why a pattern cannot be used, and where in it, counted in Unicode scalars.
struct PatternError: Error, Hashable {
  let offset: Int
  let reason: String
}
