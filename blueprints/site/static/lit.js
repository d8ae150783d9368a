// lit-html, which draws templates: https://lit.dev/docs/templates/overview/
//
// Text is inserted as text, so no name can become markup. `style` attributes are forbidden by the page's policy: set
// the property, `.style=${"left: 5%"}`.

export { html, nothing, render, svg } from "./vendor/lit-html-3.3.3/lit-html.js";
export { live } from "./vendor/lit-html-3.3.3/directives/live.js";
export { ref } from "./vendor/lit-html-3.3.3/directives/ref.js";
export { repeat } from "./vendor/lit-html-3.3.3/directives/repeat.js";
