/// Which of several processes may have a draft or a scene: `try desk1`, then `found …` or `refused desk1`, and at the
/// end `leaving desk1`. Nobody is refused what no living process has, and no two have it at a time.
struct ClaimLedger {
  private enum Hold {
    case tried
    case had
    /// With the beats since.
    case left(Int)
  }

  private var holds: [String: [Int: Hold]] = [:]
  /// Who had, or may have had, what somebody has tried to get and not got yet.
  private var met: [String: [Int: Set<Int>]] = [:]
  /// Who is being killed: dead, as far as anybody knows.
  private var dying: Set<Int> = []

  /// A problem, if that is one.
  mutating func hear(_ line: String, from speaker: Int) -> String? {
    let words = line.split(separator: " ")
    guard let word = words.first, words.count > 1 else {
      if line.hasPrefix("beat ") { beat(speaker) }
      return nil
    }
    let place = String(words[1])
    switch word {
    case "try":
      met[place, default: [:]][speaker] = Set(holds[place, default: [:]].keys)
      for other in met[place, default: [:]].keys where other != speaker { met[place]?[other]?.insert(speaker) }
      holds[place, default: [:]][speaker] = .tried
    case "refused":
      // Of a scene it may have had the context, and lets go of that.
      holds[place]?[speaker] = place.hasPrefix("scene") ? .left(0) : nil
      let others = met[place]?.removeValue(forKey: speaker) ?? []
      if others.isEmpty { return "\(place) is refused to \(speaker), and nobody has it" }
    case "leaving": holds[place]?[speaker] = .left(0)
    case "found":
      // As in `found desk/desk1=…`.
      guard let place = place.split(separator: "=").first?.split(separator: "/").last.map(String.init),
        holds[place]?[speaker] != nil
      else { return nil }
      met[place]?[speaker] = nil
      holds[place]?[speaker] = .had
      for (other, hold) in holds[place] ?? [:] where other != speaker && !dying.contains(other) {
        if case .had = hold { return "\(place) is had by \(other) and \(speaker)" }
      }
    default: break
    }
    return nil
  }

  /// What was left is let go of as soon as the journal has all of it.
  private mutating func beat(_ speaker: Int) {
    for (place, of) in holds {
      guard case .left(let beats)? = of[speaker] else { continue }
      holds[place]?[speaker] = beats < Ledger.patience ? .left(beats + 1) : nil
    }
  }

  mutating func isDying(_ speaker: Int) { dying.insert(speaker) }

  mutating func isDead(_ speaker: Int) {
    for place in holds.keys {
      holds[place]?[speaker] = nil
      met[place]?[speaker] = nil
    }
  }
}
