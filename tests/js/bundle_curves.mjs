// Makes the file of @noble/curves that the page of a battle loads: its pairing alone, minified.
//
//     node tests/js/bundle_curves.mjs blueprints/site/static/vendor/noble-curves-2.4.0/bls12-381.min.js

import { build } from "esbuild";

const [outfile] = process.argv.slice(2);
const contents = 'export { bls12_381 } from "@noble/curves/bls12-381.js";';

await build({ stdin: { contents, resolveDir: import.meta.dirname }, bundle: true, minify: true, format: "esm", outfile });
console.log(JSON.stringify(outfile));
