// The catalogue as Express makes it: a list in memory, res.json for every request. ITEMS is a file with the list.
import { readFileSync } from "node:fs";
import express from "express";

const items = JSON.parse(readFileSync(process.env.ITEMS, "utf8"));
const app = express();

app.get("/healthz", (_request, response) => response.json({ status: "ok" }));
app.get("/upgrader/items", (_request, response) => response.json(items));
app.listen(Number(process.env.PORT), "127.0.0.1");
