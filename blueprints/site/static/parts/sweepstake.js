// The calculator of the sweepstake balance that a deposit gives.

import { getJson } from "../api.js";
import { centsOfCoins, coinsOfCents, format } from "../money.js";
import { makeForm, readAmount, textField } from "./form.js";

const form = makeForm("sweepstake", async ({ deposit }) => {
  const cents = readAmount(deposit.value, "The deposit");
  const { value } = await getJson(`/sweepstake/calc-deposit?amount=${coinsOfCents(cents)}`);
  return `A deposit of ${format(cents)} US dollars gives ${format(centsOfCoins(value))} of sweepstake balance.`;
});

export const sweepstake = () => form(
  textField({ form: "sweepstake", name: "deposit", label: "Deposit", unit: "in US dollars", mode: "decimal" }),
  "Calculate");
