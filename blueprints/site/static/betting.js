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
//   log:receipt           from the server: its signed promise that the bet is in the public log ten seconds later
//   <game>:proof          from the server, `proofDelay` seconds later: its seed, with which the bet is recomputed
//
// A bet that failed, or that has no answer, is sent again as it was, also after a reload (attempts.js).

import { getOwn } from "./api.js";
import {
  attempts, commitments, isUncompared, keepAttempt, noteAnnounced, playerId, recordObjection,
} from "./attempts.js";
import { addProof, findId, shownBet } from "./bet-list.js";
import { ask } from "./connection.js";
import { setContent } from "./dom.js";
import { complaintAbout, lookUpSeeds, nameOf, recompute } from "./evidence.js";
import { randomHex } from "./fairness.js";
import { centsOfCoins, coins } from "./money.js";
import { readAttempt, RECORDS } from "./records.js";
import { MISMATCH, namesAChange } from "./refusals.js";
import { showReports } from "./reports.js";
import { getToken } from "./session.js";

const REMEMBERED_BETS = 50;
const RESUMED_MS = 60_000; // A bet that may not have been settled is only resumed without a click within this time.
const INTERRUPTED_KEY = "bet-in-progress";

const NO_ROLL = { status: false, error: "The server did not send what decides the bet" };

/** Whether an attempt was neither settled nor refused for a reason that the player can change. */
const hasFailed = ({ answer }) => !answer || !(answer.status || namesAChange(answer));

/**
 * Places bets on a socket. `changed()` is called when the balance, the commitment or the bet in progress changes, and
 * `resume(attempt)` for a bet that was settled while this page did not see it.
 */
export class Betting {
  #socket;
  #seed;
  #changed;
  #resume;
  // The announced commitment, `{ serverSeedCommitment, nonce }`; null before it has arrived.
  #announced = null;
  #balance = { cents: 0, version: -1 };
  // The bet in progress; null between bets.
  #current = null;
  // By nonce: a promise of what the player was shown of a bet, fulfilled when its wheel or reel has stopped.
  #shown = new Map();

  constructor({ socket, seed, changed, resume }) {
    this.#socket = socket;
    this.#seed = seed;
    this.#changed = changed;
    this.#resume = resume;
    socket.on("upgrader:commitment", (announced) => this.#committed(announced));
    socket.on("balance", (balances) => this.#setBalance(balances));
    socket.on("log:receipt", (promise) => this.#promised(promise));
    // After a restore of the database versions are lower than before.
    socket.on("connect", () => { this.#balance.version = -1; });
    for (const game of Object.keys(RECORDS)) {
      socket.on(`${game}:pf`, (pf) => this.#decided(pf));
      socket.on(`${game}:proof`, (proof) => {
        this.#keepProof(proof);
        this.#proved(game, proof);
      });
    }
    // Another tab of this player has sent a bet, or got its answer.
    addEventListener("storage", () => this.#changed());
  }

  get balanceCents() {
    return this.#balance.cents;
  }

  get inProgress() {
    return this.#current !== null;
  }

  /** The attempt that has to be sent again as it was before any other bet; null when there is none. */
  get open() {
    return getToken() ? (attempts().find((attempt) => this.#isOpen(attempt)) ?? null) : null;
  }

  /** The attempt that was in progress when this tab was reloaded; null when there was none. */
  get interrupted() {
    const requestId = sessionStorage.getItem(INTERRUPTED_KEY);
    const attempt = attempts().find(({ request }) => request.requestId === requestId);
    if (!attempt) return null;
    const isSoon = attempt.pf || Date.now() - attempt.at < RESUMED_MS;
    return attempt.answer?.status || (isSoon && this.#isOpen(attempt)) ? attempt : null;
  }

  /** Forget the state of the player who was signed in. */
  reset() {
    this.#announced = null;
    this.#balance = { cents: 0, version: -1 };
    this.#shown.clear();
    for (const id of ["commitment", "nonce"]) setContent(id, "–");
    setContent("fairness-state", "");
    showReports();
  }

  /** Why no bet can be placed now, in words; null when one can. */
  objection() {
    if (!getToken()) return "You are watching as a guest. Sign in to play.";
    if (this.#current) return this.#current.bet.inProgress;
    if (!this.#socket.connected) return "There is no connection to the server at the moment.";
    if (!this.#announced || this.#isUsed()) return "Waiting for the commitment of the server.";
    return this.open ? null : (recordObjection() ?? this.#seed.objection());
  }

  /** While a bet is in progress, its outcome is not in the balance that is shown. */
  showBalance() {
    if (this.#balance.version < 0) return;
    setContent("balance", coins(this.#balance.cents - (this.#current?.attempt.costCents ?? 0)));
  }

  /**
   * Record the next bet before it is sent: `{ game, event, content, terms, display, costCents }`. `content` is what the
   * game adds to the payload, `terms` what else decides the bet, and `display` what the page shows of it. Returns the
   * attempt, or null if the browser can't store it.
   */
  begin({ content, ...bet }) {
    const { serverSeedCommitment, nonce } = this.#announced;
    const { value: clientSeed } = this.#seed;
    const seedIsSecret = this.#seed.send(serverSeedCommitment);
    if (seedIsSecret === null) return null;
    // The commitment makes the server refuse the bet if it has announced another one. The request id makes
    // sending the bet twice harmless.
    const request = { ...content, clientSeed, serverSeedCommitment, requestId: randomHex(16) };
    const attempt = { ...bet, player: playerId(), request, nonce, seedIsSecret, at: Date.now() };
    return keepAttempt(attempt) ? attempt : null;
  }

  /**
   * Send an attempt, for the first time or again. Resolves with the server's answer when its wheel or reel has stopped.
   *
   * `bet.inProgress` is shown while the bet runs. `bet.turn(pf, elapsed)` turns the wheel or the reel and resolves when
   * it has stopped, then `bet.conclude(pf, result)` shows the outcome.
   */
  async play(attempt, bet) {
    const current = { attempt, bet };
    current.over = new Promise((end) => { current.end = end; });
    this.#current = current;
    this.#shown.set(attempt.nonce, current.over);
    if (this.#shown.size > REMEMBERED_BETS) this.#shown.delete(this.#shown.keys().next().value);
    sessionStorage.setItem(INTERRUPTED_KEY, attempt.request.requestId);
    this.showBalance();
    setContent("fairness-state", "");
    if (attempt.pf) this.#turn(current);
    if (attempt.proof) this.#proved(attempt.game, attempt.proof);
    this.#changed();
    if (!attempt.answer?.status) await this.#send(attempt);
    await current.turning;
    sessionStorage.removeItem(INTERRUPTED_KEY);
    this.#current = null;
    const { answer } = attempt;
    if (answer.status) bet.conclude(attempt.pf, answer.result);
    else if (!this.#isOpen(attempt)) this.#seed.draw(); // The server has seen the seed of the refused bet.
    current.end(answer.status ? readAttempt(attempt) : null);
    this.#changed();
    return answer;
  }

  async #send(attempt) {
    const answer = await ask(this.#socket, attempt.event, attempt.request);
    attempt.answer = answer.status && !attempt.pf ? NO_ROLL : answer;
    keepAttempt(attempt);
    // The event with the new commitment may be lost.
    if (answer.error === MISMATCH) await getOwn("/upgrader/commitment").then((now) => this.#committed(now), () => {});
  }

  /** Whether a bet has been settled under the announced commitment: the next one needs another commitment. */
  #isUsed() {
    return attempts(this.#announced.serverSeedCommitment).some(({ answer }) => answer?.status);
  }

  #isOpen({ request, answer }) {
    const { serverSeedCommitment: mine } = request;
    if (!hasFailed({ answer })) return false;
    if (answer?.error === MISMATCH && this.#announced && this.#announced.serverSeedCommitment !== mine) return false;
    const { replacedBy, serverSeed } = commitments().find(({ commitment }) => commitment === mine) ?? {};
    return !replacedBy && !serverSeed;
  }

  #committed(announced) {
    const { serverSeedCommitment, nonce } = announced;
    this.#announced = announced;
    noteAnnounced(announced);
    setContent("commitment", serverSeedCommitment);
    setContent("nonce", String(nonce));
    this.#seed.committed(serverSeedCommitment);
    if (this.open) this.#seed.show(this.open.request.clientSeed);
    this.#changed();
    showReports();
    this.#lookUpSeeds();
  }

  async #lookUpSeeds() {
    const { nonce } = this.#announced;
    await lookUpSeeds({ nonce, playing: this.#current?.attempt.request.serverSeedCommitment });
    showReports();
    if (attempts().some(isUncompared)) (await import("./receipts.js")).compareReceipts();
  }

  /** Keep the receipt of a bet. The commitment to the next bet has arrived before it. */
  #promised({ nonce, receipt }) {
    const { attempt: playing } = this.#current ?? {};
    const settled = attempts().filter(({ answer }) => answer?.status);
    const attempt = [playing, ...settled].find((each) => each?.nonce === nonce);
    if (!attempt || attempt.receipt) return;
    const next = this.#announced?.nonce === nonce + 1 ? this.#announced.serverSeedCommitment : undefined;
    keepAttempt(Object.assign(attempt, { receipt, next, promisedAt: Date.now() }));
  }

  #setBalance({ balance, version }) {
    // Balances may arrive out of order when the server has several processes.
    if (version < this.#balance.version) return;
    this.#balance = { cents: centsOfCoins(balance), version };
    this.#changed();
  }

  /** The roll or the ticket has arrived, before the outcome. */
  #decided(pf) {
    const { attempt } = this.#current ?? {};
    // A repeated request is answered with the same roll once more.
    if (!attempt || attempt.pf || pf.nonce !== attempt.nonce) return;
    attempt.pf = pf;
    attempt.decidedAt = Date.now();
    keepAttempt(attempt);
    this.#turn(this.#current);
  }

  #turn(current) {
    const { pf, decidedAt } = current.attempt;
    current.turning = current.bet.turn(pf, Math.max(Date.now() - decidedAt, 0) / 1000);
  }

  /** Store a proof that arrives while the wheel turns: after a reload it would not come again. */
  #keepProof(proof) {
    const { attempt } = this.#current ?? {};
    if (attempt?.request.serverSeedCommitment !== proof.serverSeedCommitment) return;
    attempt.proof = proof;
    keepAttempt(attempt);
  }

  async #proved(game, proof) {
    const name = nameOf({ game, nonce: proof.nonce });
    try {
      const shown = await this.#shownOf(proof);
      const own = await recompute({ ...proof, won: shown.won });
      if (this.#announced) await this.#lookUpSeeds();
      const complaint = complaintAbout(proof, own);
      const verdict = await addProof(game, proof, { ...shown, complaint });
      if (verdict === "good") setContent("fairness-state", `✓ ${name} verified`);
      if (verdict === "bad" || verdict === "doubtful") setContent("fairness-state", `✗ ${name} not verified`);
    } catch (problem) {
      setContent("fairness-state", `${name} could not be verified: ${problem.message}`);
    }
    showReports();
  }

  /** What the player was shown of a bet: by this page, by one that was closed before the proof, or by neither. */
  async #shownOf(proof) {
    const sent = attempts(proof.serverSeedCommitment).find(({ request }) => request.clientSeed === proof.clientSeed);
    // The proof says that it was settled, so it has an answer.
    if (sent && !this.#current && hasFailed(sent)) this.#resume(sent);
    const settled = sent?.answer?.status ? readAttempt(sent) : null;
    return (await this.#shown.get(proof.nonce)) ?? settled ?? shownBet(await findId(proof));
  }
}
