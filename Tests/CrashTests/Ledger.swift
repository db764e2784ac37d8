/// What processes said of a store, life after life: which states a kill may leave of each topic, and which one was
/// found.
///
/// The words, each with topics and their states (`log=17 desk=4,5`) behind it:
/// - `may`: from now on a kill may leave this state too; `*` is any;
/// - `is`: nothing else than these may be found from now on;
/// - `found`: what is there;
/// - `made`: what was said to come of these topics has been done, and is to be kept without a further word;
/// - `removing`: from now on `-` may be found by whoever has the topic next;
/// - `removed`: nothing else is found from now on, unless somebody has had it since;
/// - `kept`: it was not removed, as somebody else had it;
/// - `look`: the speaker looks at what another one has;
/// - `saw`: and saw this: what might have been found when it began, or came since;
/// - `beat 26`: the speaker has had 25 ms more in which it could write what was made, and they took it that many.
struct Ledger {
  private struct State {
    let text: String
    /// Its maker's beats since it was made; `nil` as long as it is not.
    var age: Int?
    /// How many milliseconds at least have passed since, in which nothing stood still; `nil` if something did.
    var calm: Int? = 0

    /// After one more beat.
    func older(by milliseconds: Int) -> State {
      guard let age else { return self }
      // The first of them may have begun long before.
      let passed = age == 0 ? 0 : milliseconds
      let isLate = milliseconds > Ledger.punctual
      return State(text: text, age: age + 1, calm: isLate ? nil : calm.map { $0 + passed })
    }

    /// Whether it must be in the file.
    var isDue: Bool { age ?? 0 >= Ledger.patience || age != nil && calm ?? 0 >= Ledger.limit }
  }

  private struct Topic {
    var states: [State]
    var speaker: Int
  }

  /// So many milliseconds after something was made, nothing older may be found, if all beats since were punctual.
  static let limit = 250
  /// A beat that took more milliseconds was kept waiting, and so may the journal's thread have been.
  static let punctual = 35
  /// Else after so many beats: 250 ms, and as much again for a machine that lets one thread of a process wait while
  /// another one runs.
  static let patience = 20

  private var topics: [String: Topic] = [:]
  /// Who is removing a topic, and whether somebody else has found it since.
  private var removals: [String: [Int: Bool]] = [:]
  /// What somebody may see who looks at a topic.
  private var looks: [String: [Int: Set<String>]] = [:]
  private var dead: Set<Int> = []
  /// When each state of a shared topic was first said, and when it was last said to be made, by the lines heard.
  private var spans: [String: (born: Int, made: Int)] = [:]
  /// What must never be found.
  private(set) var problems: [String] = []
  private(set) var acknowledged = 0
  private(set) var lives = 0
  /// Of what was made and not found again, how many beats the oldest was old.
  private(set) var oldestLost = 0
  /// All that was said, for whoever looks for the cause of a problem.
  private(set) var history: [String] = []

  /// - Parameter states: What there is to begin with.
  init(_ states: KeyValuePairs<String, String> = [:]) {
    for (topic, state) in states { topics[topic] = Topic(states: [State(text: state)], speaker: 0) }
  }

  mutating func hear(_ line: String, from speaker: Int = 0) {
    history.append(speaker == 0 ? line : "\(speaker) \(line)")
    let words = line.split(separator: " ")
    switch words.first ?? "" {
    case "problem": problems.append(String(line.dropFirst(8)))
    case "may":
      for (topic, state) in states(words) {
        topics[topic, default: Topic(states: [], speaker: speaker)].states.append(State(text: state))
        topics[topic]?.speaker = speaker
        begin(state, of: topic)
        show(state, of: topic)
      }
    case "is":
      acknowledged += 1
      for (topic, _) in states(words) { topics[topic] = Topic(states: [], speaker: speaker) }
      for (topic, state) in states(words) {
        topics[topic]?.states.append(State(text: state))
        begin(state, of: topic)
        end(topic)
        show(state, of: topic)
      }
    case "found":
      lives += 1
      for (topic, state) in states(words) { found(state, of: topic, speaker) }
    case "made":
      for (topic, _) in states(words) {
        end(topic)
        for place in topics[topic]?.states.indices ?? 0..<0 where topics[topic]?.states[place].age == nil {
          topics[topic]?.states[place].age = 0
        }
      }
    case "beat":
      for (name, topic) in topics where topic.speaker == speaker {
        let states = older(topic.states, by: words.last.flatMap { Int($0) } ?? Self.punctual + 1)
        topics[name]?.states = states
      }
    case "removing": for (topic, _) in states(words) { removing(topic, speaker) }
    case "removed": for (topic, _) in states(words) { removed(topic, speaker) }
    case "kept": for (topic, _) in states(words) { removals[topic]?[speaker] = nil }
    case "look": for (topic, _) in states(words) { look(at: topic, speaker) }
    case "saw": for (topic, state) in states(words) { saw(state, of: topic, speaker) }
    // It ended by itself, as it should at times.
    case "closed", "visited", "checked": break
    // See ClaimLedger.
    case "try", "refused", "leaving": break
    default: problems.append("unknown: \(line)")
    }
  }

  private func states(_ words: [Substring]) -> [(topic: String, state: String)] {
    words.dropFirst().map { word in
      let parts = word.split(separator: "=", maxSplits: 1)
      return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
    }
  }

  /// What is older than something that was made long ago can no longer be found.
  private func older(_ states: [State], by milliseconds: Int) -> [State] {
    let older = states.map { $0.older(by: milliseconds) }
    let last = older.lastIndex(where: \.isDue)
    return Array(older[(last ?? 0)...])
  }

  private mutating func found(_ text: String, of name: String, _ speaker: Int) {
    if Self.isShared(name) { return foundShared(text, of: name, speaker) }
    guard let topic = topics[name] else { return problems.append("unknown: \(name)") }
    let mayBeRemoved = removals[name]?.isEmpty == false
    for remover in removals[name]?.keys ?? [:].keys {
      // It has the topic: whoever is dead has removed it by now, or never will.
      removals[name]?[remover] = dead.contains(remover) ? nil : true
    }
    if text == "-", mayBeRemoved {
    } else if let place = topic.states.lastIndex(where: { $0.text == text }) {
      oldestLost = max(oldestLost, topic.states[(place + 1)...].compactMap(\.age).max() ?? 0)
    } else if !topic.states.contains(where: { $0.text == "*" }) {
      let possible = topic.states.map(\.text).joined(separator: " or ")
      problems.append("\(name) is \(text), and only \(possible) may be found")
    }
    // Who left it a moment ago may find what it has not written yet.
    if topic.speaker != speaker { topics[name] = Topic(states: [State(text: text)], speaker: speaker) }
  }

  // MARK: Removals

  mutating func isDead(_ speaker: Int) {
    dead.insert(speaker)
    for topic in looks.keys { looks[topic]?[speaker] = nil }
  }

  private mutating func removing(_ topic: String, _ speaker: Int) {
    removals[topic, default: [:]][speaker] = false
    show("-", of: topic)
  }

  private mutating func removed(_ topic: String, _ speaker: Int) {
    acknowledged += 1
    if removals[topic]?.removeValue(forKey: speaker) == false {
      topics[topic] = Topic(states: [State(text: "-")], speaker: speaker)
    }
  }

  // MARK: Looks

  private mutating func look(at topic: String, _ speaker: Int) {
    var states = Set(topics[topic]?.states.map(\.text) ?? [])
    if removals[topic]?.isEmpty == false { states.insert("-") }
    looks[topic, default: [:]][speaker] = states
  }

  private mutating func show(_ state: String, of topic: String) {
    for speaker in looks[topic]?.keys ?? [:].keys { looks[topic]?[speaker]?.insert(state) }
  }

  private mutating func saw(_ text: String, of topic: String, _ speaker: Int) {
    lives += 1
    let possible = looks[topic]?.removeValue(forKey: speaker) ?? []
    if !possible.contains(text) {
      problems.append(
        "\(topic) looks like \(text), and only \(possible.sorted().joined(separator: " or ")) may be seen")
    }
  }

  // MARK: Shared topics

  /// Whether a topic has the newest state of several, `dial/dial1`: that of another topic may be found in it, if it is
  /// not older.
  private static func isShared(_ topic: String) -> Bool { topic.hasPrefix("dial/") }

  private mutating func begin(_ state: String, of topic: String) {
    guard Self.isShared(topic), spans[state] == nil else { return }
    spans[state] = (history.count, .max)
  }

  private mutating func end(_ topic: String) {
    guard Self.isShared(topic), let state = topics[topic]?.states.last?.text, spans[state]?.made == .max else { return }
    spans[state]?.made = history.count
  }

  /// What one finds, others have perhaps not: it is certain as soon as it is written.
  private mutating func foundShared(_ text: String, of name: String, _ speaker: Int) {
    guard let topic = topics[name] else { return problems.append("unknown: \(name)") }
    let oldest = topic.states.first.flatMap { spans[$0.text]?.born } ?? 0
    let isKnown = topic.states.contains { $0.text == text }
    if !isKnown, spans[text].map({ $0.made < oldest }) ?? true {
      let possible = topic.states.map(\.text).joined(separator: " or ")
      problems.append("\(name) is \(text), and only \(possible) or what is newer may be found")
    }
    if !isKnown { topics[name]?.states.append(State(text: text)) }
    topics[name]?.speaker = speaker
  }

  /// Of a topic whose states are counts, those that may be found.
  func possible(_ topic: String) -> [String] { topics[topic]?.states.map(\.text) ?? [] }
}
