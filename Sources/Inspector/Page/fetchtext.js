/// Reads just enough of a fetch in text form to complete it and to change its order. The server checks the rest.

const keywords = new Set(("where order by asc desc nulls first last section limit offset as of and or not any "
  + "all none count true false nil null is in between contains begins ends equals like matches allwords anyword "
  + "allprefixes whiletyping double computed rule day id inf nan date blob nocase nodiacritic natural locale "
  + "bycharacter").split(" "));

const pattern = new RegExp([
  /(?<text>"(?:[^"\\]|\\.)*"?)/, /(?<quoted>`(?:[^`\\]|\\.)*`?)/,
  /(?<reference>[\p{L}_][\p{L}\p{N}_]*\/[0-9a-fA-F-]{8,})/u, /(?<name>[\p{L}_][\p{L}\p{N}_]*)/u,
  /(?<number>\d[\w.:+-]*)/, /(?<sign>==|!=|<>|<=|>=|&&|\|\||\S)/,
].map(part => part.source).join("|"), "gu");

export function tokens(text) {
  return [...text.matchAll(pattern)].map(match => {
    const kind = Object.keys(match.groups).find(name => match.groups[name] !== undefined);
    return { kind, text: match[0], start: match.index, end: match.index + match[0].length };
  });
}

const signs = { n: "\n", r: "\r", t: "\t", 0: "\0" };

export function unquoted(token) {
  if (token.kind !== "quoted") return token.text;
  return token.text.replace(/^`|`$/g, "").replace(/\\u\{([0-9a-f]+)\}|\\(.)/giu, (_, code, sign) =>
    code ? String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff)) : signs[sign] ?? sign);
}

/// A name as the text of a fetch writes it.
export function quoted(name) {
  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) && !keywords.has(name.toLowerCase())) return name;
  const body = name.replace(/[\\`]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r").replace(/\t/g, "\\t")
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, sign => `\\u{${sign.codePointAt(0).toString(16)}}`);
  return "`" + body + "`";
}

export function entityName(text) {
  const first = tokens(text)[0];
  return first && (first.kind === "name" || first.kind === "quoted") ? unquoted(first) : null;
}

const clauseWords = new Set(["where", "order", "section", "limit", "offset", "as"]);

/// The clauses of the outermost level, each as its word and its range in the text.
function clauses(text) {
  const found = [];
  let depth = 0;
  const all = tokens(text);
  for (const token of all.slice(1)) {
    if (token.text === "(" || token.text === "[") depth += 1;
    if (token.text === ")" || token.text === "]") depth -= 1;
    const word = token.text.toLowerCase();
    const isClause = token.kind === "name" ? clauseWords.has(word) : token.text === "@";
    if (depth === 0 && isClause) found.push({ word, start: token.start });
  }
  found.forEach((clause, index) => { clause.end = found[index + 1]?.start ?? text.length; });
  return found;
}

/// The place where a condition ends or begins: before the order, because the grammar wants it there.
export function endOfCondition(text) {
  const next = clauses(text).find(each => each.word !== "where");
  return text.slice(0, next?.start ?? text.length).trimEnd().length;
}

/// The keys of "order by": the term, and the words for direction and nil after it.
export function orderKeys(text) {
  const clause = clauses(text).find(each => each.word === "order");
  if (!clause) return [];
  const body = text.slice(clause.start, clause.end).replace(/^order\s+by\s*/i, "");
  const parts = [];
  let [depth, start] = [0, 0];
  for (const token of tokens(body)) {
    if (token.text === "(" || token.text === "[") depth += 1;
    if (token.text === ")" || token.text === "]") depth -= 1;
    if (token.text === "," && depth === 0) {
      parts.push(body.slice(start, token.start));
      start = token.end;
    }
  }
  parts.push(body.slice(start));
  return parts.map(part => part.trim()).filter(part => part !== "").map(part => {
    const match = part.match(/^(.*?)(\s+(?:asc|desc))?(\s+nulls\s+(?:first|last))?$/is);
    const term = match[1].trim();
    return {
      term, path: term.replace(/\[[^\]]*\]$/, "").trim(), nils: (match[3] ?? "").trim(),
      isDescending: /desc/i.test(match[2] ?? ""),
    };
  });
}

/// The text with another order. A second click on the same heading reverses the order, and a third one removes it.
export function withOrder(text, path, adds) {
  const keys = orderKeys(text);
  const index = keys.findIndex(key => key.path === path);
  const key = keys[index];
  let next = adds ? [...keys] : key ? [key] : [];
  const at = adds ? index : key ? 0 : -1;
  if (!key) next.push({ term: path, path, nils: "", isDescending: false });
  else if (!key.isDescending) next[at] = { ...key, isDescending: true };
  else next = next.filter(each => each !== key);
  const written = next.map(each => each.term + (each.isDescending ? " desc" : "") + (each.nils && " " + each.nils));
  return withClause(text, written.length > 0 ? "order by " + written.join(", ") : "");
}

function withClause(text, order) {
  const all = clauses(text);
  const old = all.find(each => each.word === "order");
  const place = old ?? all.find(each => each.word !== "where");
  const start = place?.start ?? text.length;
  const end = old ? old.end : start;
  return [text.slice(0, start), order, text.slice(end)].map(part => part.trim()).filter(part => part !== "").join(" ");
}

/// The index in a string for a number of UTF-8 bytes.
export function indexOfByte(text, offset) {
  let count = 0;
  let index = 0;
  for (const sign of text) {
    if (count >= offset) break;
    const code = sign.codePointAt(0);
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    index += sign.length;
  }
  return index;
}
