// Validates the AsyncAPI document on standard input; prints what the parser has to say, as JSON.
import { text } from "node:stream/consumers";
import { Parser } from "@asyncapi/parser";

const { diagnostics } = await new Parser().parse(await text(process.stdin));
console.log(JSON.stringify(diagnostics.map(({ code, message, path }) => ({ code, message, path: path.join(".") }))));
