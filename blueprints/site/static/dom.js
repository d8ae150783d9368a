// Small helpers for building the page. Text only ever goes in as textContent, so no name can become markup.

export const byId = (id) => document.getElementById(id);

/** Replace an element's text, but only by another one: screen readers would read the same one out again. */
export function setText(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

/** A new element: `make("li", { className: "bet" }, "text", child, …)`. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A picture beside a text that names it already; when it can't be loaded, the fallback instead. */
export function picture(source, fallback, side) {
  const image = make("img", { alt: "", loading: "lazy", width: side, height: side });
  image.addEventListener("error", () => { image.src = fallback; }, { once: true });
  image.src = source;
  return image;
}
