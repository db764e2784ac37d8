/// Writes postfix lists as infix texts. Takes O(steps) and an explicit stack for any nesting.
struct InfixText {
  enum Form {
    case operand(String)
    /// Stands before its operand, which has parentheses if it binds less than `binding`.
    case prefix(String, binding: Int)
    /// Encloses its operand.
    case around(String, String)
    /// Stands between its operands. A chain has no parentheses at the left.
    case between(String, binding: Int)

    /// How tightly the form binds its operands.
    fileprivate var binding: Int {
      switch self {
      case .operand, .around: .max
      case .prefix(_, let binding), .between(_, let binding): binding
      }
    }
  }

  private enum Task {
    case text(String)
    /// The operand that ends at an index.
    case operand(Int, binding: Int)
  }

  static func written(_ forms: [Form]) -> String {
    // By index, the beginning of the operand that ends there.
    var starts: [Int] = []
    var open: [Int] = []
    for (index, form) in forms.enumerated() {
      switch form {
      case .operand: open.append(index)
      case .prefix, .around: break
      case .between: open.removeLast(min(1, open.count))
      }
      starts.append(open.last ?? index)
    }
    var written = ""
    var tasks = forms.isEmpty ? [] : [Task.operand(forms.count - 1, binding: 0)]
    while let task = tasks.popLast() {
      switch task {
      case .text(let text): written += text
      case .operand(let index, let binding):
        // A damaged list can lack operands.
        guard index >= 0 else { continue }
        let form = forms[index]
        if form.binding < binding {
          written += "("
          tasks.append(.text(")"))
        }
        switch form {
        case .operand(let text): written += text
        case .prefix(let text, let inner):
          written += text
          tasks.append(.operand(index - 1, binding: inner))
        case .around(let before, let after):
          written += before
          tasks.append(.text(after))
          tasks.append(.operand(index - 1, binding: 0))
        case .between(let text, let inner):
          let right = index - 1
          tasks.append(.operand(right, binding: inner + 1))
          tasks.append(.text(text))
          tasks.append(.operand((right >= 0 ? starts[right] : 0) - 1, binding: inner))
        }
      }
    }
    return written
  }
}
