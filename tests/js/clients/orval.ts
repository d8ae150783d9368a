// Uses the client that orval generates from /openapi.json. Prints what it was answered, as JSON.
import { changeTradeUrl, getMe, getPublicUser, searchCases, searchItems } from "./generated/orval";

const [, , , token, tradeUrl = ""] = process.argv;
const options = { headers: { Authorization: `Bearer ${token}` } };

async function main() {
  const all = await searchItems();
  const cheap = await searchItems({ maxPrice: 5, sort: "Ascending" });
  const cases = await searchCases({ page: 1, limit: 1 });
  const changed = await changeTradeUrl({ url: tradeUrl }, options);
  const me = await getMe(options);
  const unknown = await getPublicUser("nobody");

  // An error at compile time: a filter has no null, which the client would send as a text.
  // @ts-expect-error
  () => searchItems({ minPrice: null });

  return {
    all: all.status === 200 && all.data.items.map((item) => item.marketHashName),
    cheap: cheap.status === 200 && cheap.data.items.map((item) => item.marketHashName),
    cases: cases.status === 200 && cases.data.pagination.totalPages,
    changed: changed.data,
    tradeUrl: me.status === 200 && me.data.tradeUrl,
    unknown: [unknown.status, unknown.data],
  };
}

void main().then((answers) => console.log(JSON.stringify(answers)));
