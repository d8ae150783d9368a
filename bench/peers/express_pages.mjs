// Pages of the catalogue as Express and pg make them: ILIKE, ORDER BY and LIMIT in the database for every request.
// DATABASE_URL is the platform's own database.
import express from "express";
import pg from "pg";

const { types, Pool } = pg;
const INT8 = 20;
types.setTypeParser(INT8, Number);
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const FOUND = `FROM items WHERE price_cents > 0 AND (gun_name ILIKE $1 OR skin_name ILIKE $1)`;
const COLUMNS = `app_id, market_hash_name, gun_name, skin_name, image, price_cents, next_price_fetch_ms`;
const ORDER = { Ascending: "price_cents, market_hash_name", Descending: "price_cents DESC, market_hash_name" };
const app = express();

function pattern(search) {
  return `%${search.replace(/[\\%_]/g, "\\$&")}%`;
}

function shown(row) {
  return {
    appid: row.app_id,
    marketHashName: row.market_hash_name,
    gunName: row.gun_name,
    skinName: row.skin_name,
    image: row.image,
    price: `$${(row.price_cents / 100).toFixed(2)}`,
    nextPriceFetch: row.next_price_fetch_ms,
  };
}

// The same information as the platform's answer: the page, and how many there are.
app.get("/upgrader/items/pagination", async (request, response) => {
  const { search = "", sort = "Descending" } = request.query;
  const [page, limit] = [Number(request.query.page ?? 1), Number(request.query.limit ?? 18)];
  const values = [pattern(search), limit, (page - 1) * limit];
  const [found, counted] = await Promise.all([
    pool.query(`SELECT ${COLUMNS} ${FOUND} ORDER BY ${ORDER[sort]} LIMIT $2 OFFSET $3`, values),
    pool.query(`SELECT count(*) AS total ${FOUND}`, [values[0]]),
  ]);
  const totalItems = counted.rows[0].total;
  const totalPages = Math.ceil(totalItems / limit);
  const pagination = {
    currentPage: page,
    totalPages,
    totalItems,
    hasNextPage: page < totalPages,
    hasPrevPage: page > 1,
    limit,
  };
  response.json({ items: found.rows.map(shown), pagination });
});

app.get("/healthz", (_request, response) => response.json({ status: "ok" }));
app.listen(Number(process.env.PORT), "127.0.0.1");
