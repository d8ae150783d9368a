// The chance of a tie, against all outcomes counted one by one.

import assert from "node:assert/strict";
import { test } from "node:test";

import { chanceOfTie } from "../../../blueprints/site/static/fairness/battle-chances.js";
import { TEAMS } from "../../../blueprints/site/static/fairness/battles.js";

const PERCENT = 10n ** 16n;

/** A case whose items have these prices, in cents, and chances, in percent. */
const caseOf = (...items) => items.map(([priceCents, percent]) => ({ priceCents, width: BigInt(percent) * PERCENT }));

/** The cases as the page has them. */
const opened = (contents) => contents.map((items) => ({
  content: JSON.stringify({
    id: "case",
    items: items.map(({ priceCents, width }) => ({ name: "item", price: `${priceCents}`, width: `${width}` })),
    price: "100",
  }),
  count: 1,
}));

const COIN = caseOf([100, 50], [0, 50]);
const THREE = caseOf([500, 10], [100, 20], [100, 15], [7, 55]);

/** The chance of a tie as the sum over everything that can be drawn. */
function counted({ teams, crazy, terminal }, contents) {
  const seats = TEAMS[teams].flatMap((size, team) => Array(size).fill(team));
  const cases = terminal ? contents.slice(-1) : contents;
  const draws = seats.flatMap((team) => cases.map((items) => ({ team, items })));
  const follow = (place, probability, values) => {
    if (place === draws.length) {
      const best = crazy ? Math.min(...values) : Math.max(...values);
      return values.filter((value) => value === best).length > 1 ? probability : 0;
    }
    const { team, items } = draws[place];
    return items.reduce((sum, { priceCents, width }) =>
      sum + follow(place + 1, probability * Number(width) / 1e18,
        values.map((value, other) => (other === team ? value + priceCents : value))), 0);
  };
  return follow(0, 1, TEAMS[teams].map(() => 0));
}

for (const teams of ["1v1", "1v1v1", "1v1v1v1", "2v2"]) {
  for (const crazy of [false, true]) {
    for (const terminal of [false, true]) {
      test(`${teams}${crazy ? ", crazy" : ""}${terminal ? ", terminal" : ""}`, () => {
        const [rules, contents] = [{ mode: "normal", teams, crazy, terminal }, [THREE, COIN]];

        const { exact } = chanceOfTie(opened(contents), rules);

        assert.ok(Math.abs(exact - counted(rules, contents)) < 1e-12);
      });
    }
  }
}

test("prices far apart are counted as well", () => {
  const contents = [caseOf([9_000_000, 10], [1_000_000, 30], [0, 60]), COIN];
  const rules = { mode: "normal", teams: "1v1v1" };

  assert.ok(Math.abs(chanceOfTie(opened(contents), rules).exact - counted(rules, contents)) < 1e-12);
});

test("a case that is opened several times counts as several", () => {
  const [once] = opened([THREE]);
  const rules = { mode: "normal", teams: "1v1" };

  const { exact } = chanceOfTie([{ ...once, count: 2 }], rules);

  assert.ok(Math.abs(exact - counted(rules, [THREE, THREE])) < 1e-12);
});

test("items that can't be drawn do not count", () => {
  const contents = opened([caseOf([100, 0], [50, 100])]);

  assert.deepEqual(chanceOfTie(contents, { mode: "normal", teams: "1v1" }), { exact: 1 });
});

test("modes that share by chance or equally have no ties", () => {
  for (const mode of ["jackpot", "shared"]) assert.equal(chanceOfTie(opened([COIN]), { mode, teams: "1v1" }), null);
});

test("too many different sums give an upper bound", () => {
  // Prices whose sums all differ: two teams are equal when their draws are, in all cases.
  const contents = Array.from({ length: 20 }, (_, place) => caseOf([2 ** place, 50], [0, 50]));

  const { below } = chanceOfTie(opened(contents), { mode: "normal", teams: "1v1v1" });

  assert.ok(3 * 2 ** -20 <= below && below < 0.0001);
});
