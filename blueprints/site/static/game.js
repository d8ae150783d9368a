// The upgrader: one spin at a time, from the server's commitment to its proof.
//
// What happens in a spin, in this order:
//
//   upgrader:commitment   from the server: the hash of the seed that it has drawn for the next spin
//   upgrader:spin         to the server: wager, item, and a client seed chosen after that hash arrived
//   upgrader:pf           from the server: the roll
//   (acknowledgement)     from the server: the outcome, or why the spin was refused
//   upgrader:commitment   from the server: for the spin after this one
//   balance               from the server
//   upgrader:proof        from the server, `proofDelay` seconds later: its seed, with which the roll is recomputed

import { burstFrom } from "./burst.js";
import { ask } from "./connection.js";
import { bringIntoView, byId, picture, setContent, setText } from "./dom.js";
import { centsOfCoins, coins, format } from "./money.js";
import { addProof, storedSpin } from "./spin-list.js";

const REMEMBERED_SPINS = 50;

const percent = (number, places = 5) => `${number.toFixed(places)} %`;

/** Plays spins on a socket. `getToken()` returns the player's token, or null for a guest. */
export class Game {
  #socket;
  #form;
  #wheel;
  #getToken;
  #onProblem;
  #commitment = null;
  #balance = { cents: 0, version: -1 };
  // The spin in progress: its request, later its roll and outcome; null between spins.
  #current = null;
  // The bet whose outcome is shown. The outcome stays until the player changes item or wager.
  #concluded = null;
  // By nonce: a promise of what the player was shown of a spin, fulfilled when its wheel has stopped.
  #shown = new Map();

  constructor({ socket, form, wheel, getToken, onProblem }) {
    this.#socket = socket;
    this.#form = form;
    this.#wheel = wheel;
    this.#getToken = getToken;
    this.#onProblem = onProblem;
    socket.on("upgrader:commitment", (announced) => this.#committed(announced));
    socket.on("balance", (balances) => this.#setBalance(balances));
    // After a restore of the database versions are lower than before.
    socket.on("connect", () => { this.#balance.version = -1; });
    socket.on("upgrader:pf", (pf) => this.#rolled(pf));
    socket.on("upgrader:proof", (proof, acknowledge) => {
      // Otherwise the server counts the proof as delivered only after the next ping, and may send it again.
      acknowledge?.();
      this.#proved(proof);
    });
  }

  get balanceCents() {
    return this.#balance.cents;
  }

  /** Forget the state of the player who was signed in. */
  reset() {
    this.#commitment = null;
    this.#balance = { cents: 0, version: -1 };
    for (const id of ["commitment", "nonce"]) setText(id, "–");
    setText("fairness-state", "");
    this.#showOutcome("");
    this.refresh();
  }

  /** Show chance, balance, and whether a spin is possible, from what is known now. */
  refresh() {
    const objection = this.#objection();
    setText("why-not", objection ?? "");
    byId("spin").disabled = objection !== null;
    byId("game").toggleAttribute("data-spinning", this.#current !== null);
    if (this.#current) return;
    // While the wheel turns, the balance would reveal the outcome.
    setContent("balance", coins(this.#balance.cents));
    if (this.#concluded && this.#concluded === this.#bet()) return;
    this.#concluded = null;
    if (byId("game").dataset.outcome !== "refused") this.#showOutcome("");
    this.#showPicture(this.#form.item?.image);
    this.#wheel.showChance(this.#form.chance);
    if (this.#form.threshold) {
      this.#showReading("Your chance", percent(this.#form.chance, 3), `pays ${this.#form.multiplier.toFixed(2)}×`);
    } else {
      this.#showReading("Your chance", this.#form.item ? "–" : "Choose an item", "");
    }
  }

  /** Play the bet of the form. */
  async spin() {
    if (this.#objection() !== null) return this.refresh();
    const { item, wagerCents, threshold, chance, rules } = this.#form;
    const current = { item, wagerCents, threshold, chance, edge: rules.houseEdge };
    Object.assign(current, this.#form.request(this.#commitment));
    current.over = new Promise((end) => { current.end = end; });
    this.#current = current;
    this.#showOutcome("");
    this.#showPicture(item.image);
    bringIntoView(byId("dial"));
    setContent("balance", coins(this.#balance.cents - wagerCents));
    setText("fairness-state", "");
    this.refresh();
    const answer = await ask(this.#socket, "upgrader:spin", current.request);
    await current.turning;
    this.#current = null;
    if (answer.status) this.#conclude(current, answer.result);
    else this.#refuse(answer.error);
    this.refresh();
    current.end();
  }

  /** Item, price and wager of the form, to compare. */
  #bet() {
    const { item, wagerCents } = this.#form;
    return item && `${item.marketHashName} ${item.priceCents} ${wagerCents}`;
  }

  #objection() {
    if (!this.#getToken()) return "You are watching as a guest. Sign in to spin.";
    if (this.#current) return "The wheel is turning.";
    if (!this.#socket.connected) return "There is no connection to the server at the moment.";
    if (!this.#commitment) return "Waiting for the commitment of the server.";
    return this.#form.objection(this.#balance.cents);
  }

  #committed({ serverSeedCommitment, nonce }) {
    this.#commitment = serverSeedCommitment;
    setText("commitment", serverSeedCommitment);
    setText("nonce", String(nonce));
    this.#form.committed(serverSeedCommitment);
  }

  #setBalance({ balance, version }) {
    // Balances may arrive out of order when the server has several processes.
    if (version < this.#balance.version) return;
    this.#balance = { cents: centsOfCoins(balance), version };
    this.refresh();
  }

  /** The roll has arrived, before the outcome: turn the wheel to it. */
  #rolled(pf) {
    const current = this.#current;
    // A repeated request is answered with the same roll once more.
    if (!current || current.percent !== undefined) return;
    current.percent = pf.percent;
    this.#showReading("Rolling", "…", "");
    current.turning = this.#wheel.spinTo(pf.percent, this.#form.rules.proofDelay);
    this.#shown.set(pf.nonce, current.over.then(() => ({
      item: current.item.marketHashName,
      image: current.item.image,
      wagerCents: current.wagerCents,
      priceCents: current.item.priceCents,
      edge: current.edge,
      commitment: current.request.serverSeedCommitment,
      clientSeed: current.request.clientSeed,
      seedIsSecret: current.seedIsSecret,
      percent: pf.percent,
      threshold: current.threshold,
      won: current.won,
    })));
    if (this.#shown.size > REMEMBERED_SPINS) this.#shown.delete(this.#shown.keys().next().value);
  }

  #conclude(current, { success, amount, item }) {
    current.won = success;
    this.#concluded = this.#bet();
    this.#wheel.showChance(current.chance);
    const wins = `wins below ${percent(current.chance)}`;
    if (success) {
      this.#showReading(`Rolled ${percent(current.percent)}`, coins(centsOfCoins(amount), "+"), wins);
      this.#showOutcome(`You won ${format(centsOfCoins(amount))} coins, the price of ${item}.`, "won");
      burstFrom(byId("dial"), current.chance < 20 ? 240 : 140);
    } else {
      this.#showReading("Rolled", percent(current.percent), wins);
      this.#showOutcome(`You lost your wager of ${format(current.wagerCents)} coins.`, "lost");
    }
  }

  #refuse(reason) {
    // The server has seen the seed of the refused spin.
    this.#form.drawClientSeed();
    this.#showOutcome(`The spin was refused: ${reason}.`, "refused");
    this.#onProblem(reason);
  }

  async #proved(proof) {
    try {
      const shown = await (this.#shown.get(proof.nonce) ?? storedSpin(proof.nonce, this.#getToken()));
      const verdict = await addProof(proof, shown);
      if (verdict === "good") setText("fairness-state", `✓ Spin ${proof.nonce} verified`);
      if (verdict === "bad") setText("fairness-state", `✗ Spin ${proof.nonce} not verified`);
    } catch (problem) {
      setText("fairness-state", `Spin ${proof.nonce} could not be verified: ${problem.message}`);
    }
  }

  #showPicture(image) {
    if (byId("target").dataset.image === image) return;
    byId("target").dataset.image = image ?? "";
    byId("target").replaceChildren(...(image ? [picture("item", image, 120)] : []));
  }

  #showReading(label, value, note) {
    setText("reading-label", label);
    byId("reading").replaceChildren(value);
    setText("reading-note", note);
  }

  #showOutcome(text, outcome = "") {
    setText("outcome", text);
    byId("game").dataset.outcome = outcome;
  }
}
