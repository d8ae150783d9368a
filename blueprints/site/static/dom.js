// Small helpers for building the page. Text is inserted as text nodes, so no name can become markup.

export const byId = (id) => document.getElementById(id);

/** Replace an element's content by a text or an element if the text differs: screen readers would read it again. */
export function setContent(id, content) {
  if (byId(id).textContent !== (content.textContent ?? content)) byId(id).replaceChildren(content);
}

/** A new element: `make("li", { className: "bet" }, "text", child, …)`. */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A button whose name for screen readers also says what it is for: `of`. */
export function namedButton(text, of, clicked) {
  const ariaLabel = `${text} ${of}`;
  return make("button", { type: "button", className: "plain", ariaLabel, onclick: clicked }, text);
}

/** A list of terms and values as a `<dl>`. */
export function makeValues(pairs) {
  const parts = pairs.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, String(value))]);
  return make("dl", { className: "values" }, ...parts);
}

/** A link that saves a text, which `textOf()` returns when it is followed, as a file. */
export function saveLink(label, download, textOf) {
  const link = make("a", { href: "#", download }, label);
  link.addEventListener("click", () => { link.href = URL.createObjectURL(new Blob([textOf()])); });
  return link;
}

const FALLBACK = { item: "/media/neutral/item.webp", avatar: "/media/neutral/avatar.webp" };

/**
 * A picture beside a text that names it. Pictures may be on any host; a neutral one replaces one that can't be
 * loaded. `kind` is "item" or "avatar", `side` its width and height in pixels.
 */
export function picture(kind, source, side) {
  const image = make("img", { alt: "", loading: "lazy", width: side, height: side });
  image.addEventListener("error", () => { image.src = FALLBACK[kind]; }, { once: true });
  image.src = source ?? FALLBACK[kind];
  return image;
}

/**
 * Open a `<dialog>`; resolves with the value of the button that closed it, which is empty after Escape and a button of
 * the class "cancel". Escape closes none with `closedby="none"`, not even in browsers that do not know this attribute.
 */
export function openDialog(id) {
  const dialog = byId(id);
  dialog.returnValue = "";
  dialog.oncancel = (event) => { if (dialog.getAttribute("closedby") === "none") event.preventDefault(); };
  for (const button of dialog.querySelectorAll(".cancel")) button.onclick = () => dialog.close();
  dialog.showModal();
  return new Promise((closed) => {
    dialog.addEventListener("close", () => closed(dialog.returnValue), { once: true });
  });
}

/** Put a link behind an element that takes the keyboard to another one, in place of the link made before. */
export function addSkipLink(element, id, text) {
  document.querySelector("main .skip")?.remove();
  element.after(make("a", { className: "skip", href: `#${id}` }, text));
}

/** Make skip links move the focus; to `fallback` when what they name is disabled. The address stays as it is. */
export function enableSkipLinks(fallback) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".skip");
    if (!link) return;
    event.preventDefault();
    const target = byId(link.hash.slice(1));
    (target.disabled || target.hidden ? byId(fallback) : target).focus();
  });
}

/** Scroll as little as is needed to see the whole element. */
export const bringIntoView = (element) => element.scrollIntoView({ block: "nearest" });
