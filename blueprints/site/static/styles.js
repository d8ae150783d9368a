// Style sheets that only some pages need.

const loaded = new Map();

/** Load a style sheet of the site once. Resolves when it counts, or could not be loaded. */
export function loadStyles(name) {
  if (!loaded.has(name)) {
    loaded.set(name, new Promise((resolve) => {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/assets/${name}` });
      link.addEventListener("load", resolve);
      link.addEventListener("error", resolve);
      document.head.append(link);
    }));
  }
  return loaded.get(name);
}
