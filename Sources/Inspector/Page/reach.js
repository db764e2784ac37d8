import { fill, number } from "./dom.js";
import { orderKeys, quoted, withOrder } from "./fetchtext.js";
import { entity } from "./store.js";
import { linkButton, plainText } from "./values.js";

/// Says that the grid ends before the last object, because no index has its order, and offers other orders.
export function showReach(node, text, answer) {
  const isWhole = (answer.reach ?? answer.total) >= answer.total;
  node.hidden = isWhole;
  if (isWhole) return fill(node);
  const sorted = new Set(orderKeys(text).map(key => key.path));
  const orders = (entity(answer.entity)?.properties ?? [])
    .filter(each => each.isIndexed && !sorted.has(quoted(each.name))).slice(0, 3);
  const ways = orders.map(each => [" ",
    linkButton(plainText(`Sort by ${each.name}`), { fetch: withOrder(text, quoted(each.name), false) })]);
  fill(node, `The grid ends at row ${number(answer.reach)} of ${number(answer.total)}: no index has this order. `
    + "To reach the other objects, add a condition",
  ways.length > 0 ? [", or sort by a property with an index:", ways] : ".");
}
