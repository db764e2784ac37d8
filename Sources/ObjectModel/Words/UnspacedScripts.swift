/// The scripts without spaces between words: Chinese characters, kana and bopomofo, and the scripts of South-East Asia
/// whose lines are broken by dictionaries (Unicode's line-breaking class SA). Hangul has spaces.
enum UnspacedScripts {
  /// Whether a letter, a mark or a digit belongs to one of these scripts.
  static func contain(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x0E00 { return false }
    return switch scalar.value {
    // Thai and Lao, Myanmar, Khmer, Tai Le and New Tai Lue, Tai Tham, Myanmar's extensions, Tai Viet.
    case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x1950...0x19DF, 0x1A20...0x1AAF, 0xA9E0...0xA9FF,
      0xAA60...0xAADF:
      true
    // Iteration marks and numbers among Chinese characters; kana and bopomofo, with their extensions.
    case 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x3035, 0x3038...0x303C, 0x3041...0x312F, 0x31A0...0x31BF,
      0x31F0...0x31FF, 0xFF66...0xFF9F, 0x1AFF0...0x1B16F:
      true
    // Chinese characters.
    case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
    default: false
    }
  }
}
