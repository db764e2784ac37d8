// A classic script: it runs before the first painting, so a chosen theme never flashes in the other colours.
{
  const root = document.documentElement;
  const isDark = () => root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  let kept = null;
  // A browser that forbids storage throws here. The page then follows the system.
  try { kept = localStorage.getItem("reprise-theme"); } catch { kept = null; }
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;

  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const label = () => {
      button.textContent = isDark() ? "☀" : "☾";
      button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("reprise-theme", root.dataset.theme); } catch { /* as above */ }
      label();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
    label();
  });
}
