/// The list of tasks. The page has only the rows around the visible ones, and leaves room for all.

const height = 36;
const list = document.getElementById("list");
let isPlacing = false;
let shown = "";

const number = (element, name) => Number(element.dataset[name] ?? 0);

/// Leaves room for the rows above and below, and scrolls to the first visible row if the server has another one.
export function showRows() {
  const tasks = document.getElementById("tasks");
  if (!tasks) return;
  const [count, first] = [number(tasks, "count"), number(tasks, "first")];
  tasks.style.paddingTop = `${first * height}px`;
  tasks.style.paddingBottom = `${Math.max(0, count - first - tasks.children.length) * height}px`;
  const place = `${tasks.dataset.top} ${tasks.dataset.offset}`;
  if (place === shown || isPlacing) return;
  shown = place;
  const top = number(tasks, "top") * height + number(tasks, "offset");
  if (Math.abs(list.scrollTop - top) >= 1) list.scrollTop = top;
}

/// Calls the action with the first visible row, and how much of it is scrolled away.
export function scrolled(action) {
  let timer = null;
  list.addEventListener("scroll", () => {
    isPlacing = true;
    clearTimeout(timer);
    timer = setTimeout(() => { isPlacing = false; }, 300);
    const row = Math.floor(list.scrollTop / height);
    const offset = Math.round(list.scrollTop - row * height);
    const place = `${row} ${offset}`;
    if (place === shown) return;
    shown = place;
    action(row, offset);
  });
}
