// Bets of all games: one at a time, from the server's commitment to its proof.
//
// What happens in a bet, in this order (`<game>` is upgrader, case or irl):
//
//   upgrader:commitment   from the server: the hash of the seed that it has drawn for the player's next bet
//   upgrader:spin,        to the server: the bet, and a client seed chosen after that hash arrived
//     case:open, irl:open
//   <game>:pf             from the server: the roll or the ticket
//   (acknowledgement)     from the server: the outcome, or why the bet was refused
//   upgrader:commitment   from the server: for the bet after this one
//   balance               from the server
//   <game>:proof          from the server, `proofDelay` seconds later: its seed, with which the bet is recomputed

import { addProof, storedBet } from "./bet-list.js";
import { ask } from "./connection.js";
import { setContent } from "./dom.js";
import { randomHex } from "./fairness.js";
import { centsOfCoins, coins } from "./money.js";
import { RECORDS } from "./records.js";
import { getToken } from "./session.js";

const REMEMBERED_BETS = 50;

/**
 * Places bets on a socket. `changed()` is called when the balance, the commitment or the bet in progress changes.
 */
export class Betting {
  #socket;
  #seed;
  #changed;
  #commitment = null;
  #balance = { cents: 0, version: -1 };
  // The bet in progress; null between bets.
  #current = null;
  // By nonce: a promise of what the player was shown of a bet, fulfilled when its wheel or reel has stopped.
  #shown = new Map();

  constructor({ socket, seed, changed }) {
    this.#socket = socket;
    this.#seed = seed;
    this.#changed = changed;
    socket.on("upgrader:commitment", (announced) => this.#committed(announced));
    socket.on("balance", (balances) => this.#setBalance(balances));
    // After a restore of the database versions are lower than before.
    socket.on("connect", () => { this.#balance.version = -1; });
    for (const game of Object.keys(RECORDS)) {
      socket.on(`${game}:pf`, (pf) => this.#decided(pf));
      socket.on(`${game}:proof`, (proof, acknowledge) => {
        // Otherwise the server counts the proof as delivered only after the next ping, and may send it again.
        acknowledge?.();
        this.#proved(game, proof);
      });
    }
  }

  get balanceCents() {
    return this.#balance.cents;
  }

  get inProgress() {
    return this.#current !== null;
  }

  /** Forget the state of the player who was signed in. */
  reset() {
    this.#commitment = null;
    this.#balance = { cents: 0, version: -1 };
    for (const id of ["commitment", "nonce"]) setContent(id, "–");
    setContent("fairness-state", "");
  }

  /** Why no bet can be placed now, in words; null when one can. */
  objection() {
    if (!getToken()) return "You are watching as a guest. Sign in to play.";
    if (this.#current) return this.#current.bet.inProgress;
    if (!this.#socket.connected) return "There is no connection to the server at the moment.";
    if (!this.#commitment) return "Waiting for the commitment of the server.";
    return this.#seed.objection();
  }

  /** While a bet is in progress, its outcome is not in the balance that is shown. */
  showBalance() {
    setContent("balance", coins(this.#balance.cents - (this.#current?.bet.costCents ?? 0)));
  }

  /**
   * Place a bet. Resolves with the server's answer when its wheel or reel has stopped.
   *
   * `bet.event` is the name of the event, and `bet.content` what the game adds to its payload. `bet.inProgress` is
   * shown while the bet runs. `bet.turn(pf)` turns the wheel or the reel and resolves when it has stopped, then
   * `bet.conclude(pf, result)` shows the outcome and returns what the player was shown, for the proof.
   */
  async place(bet) {
    const serverSeedCommitment = this.#commitment;
    const seedIsSecret = this.#seed.send(serverSeedCommitment);
    const { value: clientSeed } = this.#seed;
    // The commitment makes the server refuse the bet if it has announced another one. The request id makes
    // sending the bet twice harmless.
    const request = { ...bet.content, clientSeed, serverSeedCommitment, requestId: randomHex(16) };
    const current = { bet, pf: null };
    current.over = new Promise((end) => { current.end = end; });
    this.#current = current;
    this.showBalance();
    setContent("fairness-state", "");
    this.#changed();
    const answer = await ask(this.#socket, bet.event, request);
    await current.turning;
    this.#current = null;
    if (answer.status) {
      const shown = bet.conclude(current.pf, answer.result);
      current.end({ ...shown, commitment: serverSeedCommitment, clientSeed, seedIsSecret });
    } else {
      // The server has seen the seed of the refused bet.
      this.#seed.draw();
      current.end(null);
    }
    this.#changed();
    return answer;
  }

  #committed({ serverSeedCommitment, nonce }) {
    this.#commitment = serverSeedCommitment;
    setContent("commitment", serverSeedCommitment);
    setContent("nonce", String(nonce));
    this.#seed.committed(serverSeedCommitment);
    this.#changed();
  }

  #setBalance({ balance, version }) {
    // Balances may arrive out of order when the server has several processes.
    if (version < this.#balance.version) return;
    this.#balance = { cents: centsOfCoins(balance), version };
    this.#changed();
  }

  /** The roll or the ticket has arrived, before the outcome. */
  #decided(pf) {
    const current = this.#current;
    // A repeated request is answered with the same roll once more.
    if (!current || current.pf) return;
    current.pf = pf;
    current.turning = current.bet.turn(pf);
    this.#shown.set(pf.nonce, current.over);
    if (this.#shown.size > REMEMBERED_BETS) this.#shown.delete(this.#shown.keys().next().value);
  }

  async #proved(game, proof) {
    const name = `${RECORDS[game].noun} ${proof.nonce}`;
    try {
      const shown = (await this.#shown.get(proof.nonce)) ?? (await storedBet(proof));
      const verdict = await addProof(game, proof, shown);
      if (verdict === "good") setContent("fairness-state", `✓ ${name} verified`);
      if (verdict === "bad") setContent("fairness-state", `✗ ${name} not verified`);
    } catch (problem) {
      setContent("fairness-state", `${name} could not be verified: ${problem.message}`);
    }
  }
}
