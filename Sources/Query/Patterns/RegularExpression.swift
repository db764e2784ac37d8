/// A regular expression without backtracking, matched by Thompson's simulation of all its paths at once ("Regular
/// Expression Search Algorithm", 1968). Each scalar of the text costs at most one visit of each instruction, so the
/// cost is bounded for every text and expression. The syntax lacks backreferences and look-around, which would need
/// more.
struct RegularExpression: Hashable, Sendable {
  enum Instruction: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    case assert(Assertion)
    /// The path continues at both places.
    case split(Int, Int)
    case jump(Int)
    case end
  }

  enum Assertion: Hashable, Sendable {
    case start
    case end
    case wordEdge
    case noWordEdge

    func holds(between before: Unicode.Scalar?, and after: Unicode.Scalar?) -> Bool {
      func isWord(_ scalar: Unicode.Scalar?) -> Bool { scalar.map(ScalarSet.Class.word.contains) ?? false }
      return switch self {
      case .start: before == nil
      case .end: after == nil
      case .wordEdge: isWord(before) != isWord(after)
      case .noWordEdge: isWord(before) == isWord(after)
      }
    }
  }

  /// The most instructions of an expression, counting each repetition.
  static let sizeLimit = 2_000

  private let program: [Instruction]
  /// The prefix of every matching text.
  let prefix: String

  /// - Parameter pattern: The expression in the form of the texts that it is compared with, except that it keeps its
  ///   case.
  init(_ pattern: String, ignoringCase: Bool) throws(PatternError) {
    var parser = RegularExpressionParser(pattern, ignoringCase: ignoringCase)
    let node = try parser.parse()
    var emitter = Emitter()
    try emitter.emit(node)
    program = emitter.program + [.end]
    prefix = RegularExpressionParser.prefix(of: node)
  }

  /// Whether the whole text matches. The text must be valid UTF-8. O(text × program).
  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var iterator = text.makeIterator()
    var decoder = UTF8()
    func next() -> Unicode.Scalar? {
      if case .scalarValue(let scalar) = decoder.decode(&iterator) { scalar } else { nil }
    }
    var paths = Paths(program.count)
    var scalar = next()
    paths.follow(program, from: 0, between: nil, and: scalar)
    while let here = scalar {
      let current = paths.advance()
      if current.isEmpty { return false }
      scalar = next()
      for place in current {
        let isMet =
          switch program[place] {
          case .scalar(let wanted): wanted == here
          case .set(let set): set.contains(here)
          case .assert, .split, .jump, .end: false
          }
        if isMet { paths.follow(program, from: place + 1, between: here, and: scalar) }
      }
    }
    return paths.hasEnded
  }

  /// The places in the program that the paths have reached.
  private struct Paths {
    private var places: [Int] = []
    private var visited: [Int]
    private var round = 1
    private var stack: [Int] = []
    private(set) var hasEnded = false

    init(_ count: Int) { visited = [Int](repeating: 0, count: count) }

    /// Returns the places, and removes them.
    mutating func advance() -> [Int] {
      round += 1
      hasEnded = false
      defer { places.removeAll(keepingCapacity: true) }
      return places
    }

    /// Follows the instructions that need no scalar.
    mutating func follow(
      _ program: [Instruction], from start: Int, between before: Unicode.Scalar?, and after: Unicode.Scalar?
    ) {
      stack.append(start)
      while let place = stack.popLast() {
        if visited[place] == round { continue }
        visited[place] = round
        switch program[place] {
        case .scalar, .set: places.append(place)
        case .assert(let assertion): if assertion.holds(between: before, and: after) { stack.append(place + 1) }
        case .split(let one, let other):
          stack.append(one)
          stack.append(other)
        case .jump(let target): stack.append(target)
        case .end: hasEnded = true
        }
      }
    }
  }

  private struct Emitter {
    var program: [Instruction] = []
    /// The number of nodes so far. Nodes without instructions count, too, because they may be repeated.
    private var steps = 0

    mutating func emit(_ node: RegularExpressionParser.Node) throws(PatternError) {
      steps += 1
      if steps > RegularExpression.sizeLimit || program.count > RegularExpression.sizeLimit {
        throw PatternError(
          offset: 0,
          reason: "the expression is too large: counting each repetition, it has more than "
            + "\(RegularExpression.sizeLimit) parts")
      }
      switch node {
      case .scalar(let scalar): program.append(.scalar(scalar))
      case .set(let set): program.append(.set(set))
      case .assertion(let assertion): program.append(.assert(assertion))
      case .sequence(let nodes): for node in nodes { try emit(node) }
      case .alternatives(let nodes):
        var jumps: [Int] = []
        for node in nodes.dropLast() {
          let split = program.count
          program.append(.split(split + 1, split + 1))
          try emit(node)
          jumps.append(program.count)
          program.append(.jump(0))
          program[split] = .split(split + 1, program.count)
        }
        if let last = nodes.last { try emit(last) }
        for jump in jumps { program[jump] = .jump(program.count) }
      case .repeated(let node, let least, let most):
        for _ in 0..<least { try emit(node) }
        guard let most else {
          let split = program.count
          program.append(.split(split + 1, split + 1))
          try emit(node)
          program.append(.jump(split))
          program[split] = .split(split + 1, program.count)
          return
        }
        var splits: [Int] = []
        for _ in least..<most {
          splits.append(program.count)
          program.append(.split(program.count + 1, 0))
          try emit(node)
        }
        for split in splits { program[split] = .split(split + 1, program.count) }
      }
    }
  }
}
