// Uses the client that hey-api generates from /openapi.json. Prints what it was answered, as JSON.
import { changeTradeUrl, getMe, getPublicUser, searchCases, searchItems } from "./generated/hey-api";
import { client } from "./generated/hey-api/client.gen";

const [, , baseUrl, token, tradeUrl = ""] = process.argv;
client.setConfig({ baseUrl, auth: token });

async function main() {
  const all = await searchItems();
  const cheap = await searchItems({ query: { maxPrice: 5, sort: "Ascending" } });
  const cases = await searchCases({ query: { page: 1, limit: 1 } });
  const changed = await changeTradeUrl({ body: { url: tradeUrl } });
  const me = await getMe();
  const unknown = await getPublicUser({ path: { platform_id: "nobody" } });

  // An error at compile time: a filter has no null.
  // @ts-expect-error
  () => searchItems({ query: { minPrice: null } });

  return {
    all: all.data?.items.map((item) => item.marketHashName),
    cheap: cheap.data?.items.map((item) => item.marketHashName),
    cases: cases.data?.pagination.totalPages,
    changed: changed.data,
    tradeUrl: me.data?.tradeUrl,
    unknown: [unknown.response?.status, unknown.error],
  };
}

void main().then((answers) => console.log(JSON.stringify(answers)));
