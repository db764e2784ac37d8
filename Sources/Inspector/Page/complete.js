import { quoted, tokens, unquoted } from "./fetchtext.js";

const clauses = ["where", "order by", "section by", "limit", "offset", "as of"];
const comparisons = ["==", "!=", "<", "<=", ">", ">="];
const operators = {
  string: ["==", "!=", "contains", "contains[nocase]", "begins", "ends", "like", "matches", "allWords", "anyWord",
    "whileTyping", "<", ">", "between", "in ("],
  toOne: ["==", "!="], bool: ["==", "!="], toMany: [], bytes: ["==", "!="], uuid: ["==", "!=", "in ("],
};
const afterTest = ["and", "or"];

/// The possible words at the caret: `{ start, end, items: [{ text, detail }] }`.
export function completions(text, caret, entities) {
  const all = tokens(text);
  const under = all.find(token => token.start < caret && token.end >= caret
    && (token.kind === "name" || token.kind === "quoted"));
  if (all.some(token => token.kind === "text" && token.start < caret
    && (token.end > caret || !/^"(?:[^"\\]|\\.)*"$/.test(token.text)))) return null;
  const start = under ? under.start : caret;
  const typed = under ? text.slice(under.start, caret).replace(/^`/, "").toLowerCase() : "";
  const place = walk(all.filter(token => token.end <= start), entities);
  const items = suggestions(place, entities)
    .map(item => typeof item === "string" ? { text: item, detail: "" } : item)
    .map(item => ({ item, rank: rank(item.text.replace(/^`/, "").toLowerCase(), typed) }))
    .filter(each => each.rank < 3).sort((a, b) => a.rank - b.rank).map(each => each.item);
  if (items.length === 0 || (items.length === 1 && items[0].text === text.slice(start, caret))) return null;
  return { start, end: under ? Math.max(caret, under.end) : caret, items, hasTyped: typed !== "" };
}

const rank = (text, typed) => text.startsWith(typed) ? 0 : typed.length > 1 && text.includes(typed) ? 1 : 3;

function propertiesOf(entity, only = () => true) {
  return (entity?.properties ?? []).filter(only).map(property => ({
    text: quoted(property.name), detail: property.target ? `${property.kind} ${property.target}` : property.kind,
  }));
}

function suggestions(place, entities) {
  const { mode, entity, property } = place;
  const kind = property?.kind;
  const outer = place.depth === 0 ? clauses.filter(word => word !== "where" || !place.hasWhere) : [")"];
  switch (mode) {
  case "entity": return entities.map(each => ({ text: quoted(each.name), detail: "entity" }));
  case "clause": return outer;
  case "term": return [...propertiesOf(entity), "not", "any", "all", "none", "count(", "id", "true", "false"];
  case "many": return propertiesOf(entity, each => each.kind === "toMany");
  case "path": return [...propertiesOf(entity), "id"];
  case "quantified": return ["where ("];
  case "operator": return [...operators[kind] ?? [...comparisons, "between", "in ("],
    ...property?.isOptional ? ["is nil", "is not nil"] : [], ...kind === "bool" ? [...afterTest, ...outer] : []];
  case "value": return [...kind === "bool" ? ["true", "false"] : [],
    ...kind === "date" ? [{ text: new Date().toISOString().slice(0, 10), detail: "today" }] : [],
    ...kind === "string" ? [{ text: '""', detail: "text" }] : [],
    ...propertiesOf(entity, each => each.kind === kind && each !== property)];
  case "nil": return ["nil", "not nil"];
  case "joined": return [...afterTest, ...outer];
  case "by": return ["by"];
  case "of": return ["of"];
  case "key": return [...propertiesOf(entity, each => each.kind !== "toMany"), "count("];
  case "keyed": return ["desc", "asc", "nulls first", "nulls last", ...clauses.slice(3)];
  case "nulls": return ["first", "last"];
  case "rule": return ["nocase", "nodiacritic", "natural", "locale", "bycharacter"];
  default: return [];
  }
}

const wordOperators = new Set(("contains begins ends equals like matches allwords anyword allprefixes whiletyping "
  + "between").split(" "));
const signOperators = new Set(["==", "=", "!=", "<>", "<", "<=", ">", ">="]);

/// Follows the grammar of Docs/FetchText.md up to the caret.
function walk(before, entities) {
  const byName = name => entities.find(each => each.name === name);
  const place = { mode: "entity", entity: null, property: null, depth: 0, hasWhere: false };
  const scopes = [];
  let [root, clause, quantified, isRight] = [null, "", null, false];
  const next = mode => { place.mode = mode; };
  const scope = () => scopes.at(-1)?.entity ?? root;

  function name(token) {
    const source = place.mode === "path" ? place.entity : scope();
    place.property = source?.properties.find(each => each.name === unquoted(token)) ?? null;
    if (place.mode === "many") quantified = place.property;
    if (quantified) next("quantified");
    else next(clause === "order" || clause === "section" ? "keyed" : isRight ? "joined" : "operator");
  }

  for (const token of before) {
    const word = token.kind === "name" ? token.text.toLowerCase() : token.kind === "sign" ? token.text : "";
    place.entity = scope();
    if (place.mode === "entity") {
      root = byName(unquoted(token));
      next("clause");
    } else if (place.mode === "rule") {
      if (word === "]") next(clause === "order" ? "keyed" : isRight ? "value" : "operator");
    } else if (word === ".") {
      place.entity = byName(place.property?.target);
      next("path");
      continue;
    } else if (place.mode === "path") {
      place.entity = byName(place.property?.target);
      name(token);
    } else if (word === "[") next("rule");
    else if (word === "(") {
      scopes.push({ entity: byName(quantified?.target) ?? scope(), isCount: place.mode === "count" });
      quantified = null;
      isRight = place.mode === "list";
      next(place.mode === "count" ? "many" : isRight ? "value" : "term");
    } else if (word === ")") {
      const left = scopes.pop();
      if (left?.isCount) place.property = { kind: "int" };
      quantified = null;
      next(left?.isCount ? (clause === "order" ? "keyed" : "operator") : "joined");
    } else if (word === "where" && quantified) next("open");
    else if (scopes.length === 0 && ["where", "order", "section", "limit", "offset", "as"].includes(word)) {
      clause = word;
      isRight = false;
      place.hasWhere ||= word === "where";
      next({ where: "term", order: "by", section: "by", as: "of" }[word] ?? "number");
    } else if (word === "by") next("key");
    else if (word === ",") next(clause === "order" && scopes.length === 0 ? "key" : "value");
    else if (word === "nulls") next("nulls");
    else if (["asc", "desc", "first", "last"].includes(word) && clause === "order") next("keyed");
    else if (["and", "or", "not", "&&", "||", "!"].includes(word) && place.mode !== "nil") {
      isRight = false;
      next("term");
    } else if (["any", "all", "none"].includes(word) && place.mode === "term") next("many");
    else if (word === "count") next("count");
    else if (word === "is") next("nil");
    else if (word === "nil" || word === "null") next("joined");
    else if (signOperators.has(word) || wordOperators.has(word)) {
      isRight = true;
      next("value");
    } else if (word === "in") next("list");
    else if (word === "not" && place.mode === "nil") next("nil");
    else if (word === "true" || word === "false") next("joined");
    else if (token.kind === "name" || token.kind === "quoted") name(token);
    else if (["text", "number", "reference"].includes(token.kind)) next(isRight ? "joined"
      : clause === "where" ? "operator" : "clause");
  }
  if (place.mode !== "path") place.entity = scope();
  else place.entity = byName(place.property?.target);
  place.depth = scopes.length;
  return place;
}
