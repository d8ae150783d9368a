// The theme: the system's, until the player chooses one. Not a module, so that it runs before the first paint.

{
  const KEY = "theme";
  const root = document.documentElement;
  const chosen = localStorage.getItem(KEY);
  if (chosen) root.dataset.theme = chosen;

  document.addEventListener("click", ({ target }) => {
    if (!target.closest("#theme")) return;
    // The current theme: the player's choice, otherwise the system's.
    const systemIsLight = matchMedia("(prefers-color-scheme: light)").matches;
    const now = root.dataset.theme ?? (systemIsLight ? "light" : "dark");
    root.dataset.theme = now === "light" ? "dark" : "light";
    localStorage.setItem(KEY, root.dataset.theme);
  });
}
