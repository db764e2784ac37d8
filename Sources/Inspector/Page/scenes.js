import { el, bytes } from "./dom.js";
import { draftLink, owner } from "./drafts.js";
import { shortTime } from "./time.js";
import { visible } from "./values.js";

/// The screens of one scene, as a tree, with the stored state of each one.
export function sceneNode(scene) {
  return el("article.card",
    el("header", el("h3", "Scene ", visible(scene.name)),
      el("p.by", el("span", { class: scene.isInUse ? "badge good" : "badge" },
        owner({ ...scene, isAlive: scene.isAlive ?? scene.isInUse })), " ",
      scene.time && `${shortTime(scene.time)} UTC · `,
      scene.appVersion && ["version ", visible(scene.appVersion), " · "],
      "last exit: ", visible(scene.lastExit ?? "unknown"))),
    scene.nodes.length === 0 ? el("p.faint", "The scene has no screens.")
      : el("ul.tree", branch(scene, scene.nodes, null)),
    scene.objects.length > 0 && [el("h4", "Other stored state"),
      el("ul.tree", scene.objects.map(each =>
        el("li", stateNode(`${scene.name}\n${each.key}`, visible(each.key), each.state))))]);
}

const parentOf = (node, paths) => {
  let path = node.path;
  while (path.includes("/")) {
    path = path.slice(0, path.lastIndexOf("/"));
    if (paths.has(path)) return path;
  }
  return null;
};

function branch(scene, nodes, parent) {
  const paths = new Set(nodes.map(each => each.path));
  return nodes.filter(each => parentOf(each, paths) === parent).map(node => {
    const name = parent === null ? node.path : node.path.slice(parent.length + 1);
    const children = branch(scene, nodes, node.path);
    return el("li",
      stateNode(`${scene.name}\n/${node.path}`, [visible(name), " ", el("span.faint", visible(node.kind),
        ` version ${node.version}, ${bytes(node.bytes)}`)], node.state),
      node.needs?.length > 0 && el("span.faint", " needs ", visible(node.needs.join(", ")), " "),
      node.draft && draftLink(node.draft),
      node.problem && el("p.error", visible(node.problem)),
      children.length > 0 && el("ul", children));
  });
}

const stateNode = (key, title, value) => el("details", { data: { key } }, el("summary", title),
  el("pre", { tabindex: "0" },
    visible(value === null || value === undefined ? "no state" : JSON.stringify(value, null, 2), true)));
