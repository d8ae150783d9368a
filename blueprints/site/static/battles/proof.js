// What the browser recomputes of a battle: from its lock in the public log, the beacon of its round, its seeds and the
// contents of its cases. Loaded when a battle is verified, or a receipt has arrived.

import { getJson, getText, orMissing, request } from "../api.js";
import { keptSeat } from "../fairness/battle-seats.js";
import { checkBattleReceipt, verifyBattle } from "../fairness/battle-verdict.js";
import { findLog } from "../fairness/in-log.js";
import { proofFromTiles } from "../fairness/log-tiles.js";
import { findWitnesses, keysOf, nameOfKey } from "../fairness/witnesses.js";
import { loadSnapshot } from "../game/case-content.js";
import { notify } from "../store.js";

const CURVES = "../vendor/noble-curves-2.4.0/bls12-381.min.js";

/** The network that this server uses, as one of its relays describes it. */
const fetchNetwork = async () => (await getJson("/battles/rules")).beacon;

const loadCurves = async () => (await import(CURVES)).bls12_381;

async function fetchProof(index) {
  const { path } = await findLog();
  const read = async (name) => {
    const response = await orMissing(request(path + name), null);
    return response && new Uint8Array(await response.arrayBuffer());
  };
  const [file, keys] = await Promise.all([proofFromTiles(index, read), getText(`${path}/key`)]);
  return { file, keys };
}

/**
 * Verify a battle as the server sends it. `signature` is that of its round, if the battle does not say it. Resolves
 * with what verifyBattle of battle-verdict.js resolves with, and `file`, a text with which /verify does the same.
 */
export async function verify(battle, { signature } = {}) {
  const [snapshots, found] = [new Map(), { network: undefined, proof: undefined }];
  const sources = {
    fetchSnapshot: async (hash) => {
      snapshots.set(hash, await loadSnapshot(hash));
      return snapshots.get(hash);
    },
    fetchProof: async (index) => {
      const given = await fetchProof(index);
      found.proof = given.file;
      return given;
    },
    fetchNetwork: async () => (found.network = await fetchNetwork()),
    fetchBeacon: async () => signature,
    loadCurves,
  };
  const result = await verifyBattle(battle, sources);
  const file = { battle, snapshots: [...snapshots.values()], ...found, signature, receipt: receiptOf(battle.id) };
  return { ...result, file: JSON.stringify(file, null, 2) };
}

/** The receipt that this browser keeps, and what is compared with it; undefined without one. */
function receiptOf(id) {
  const { receipt: proof, receivedAt, isFetched, known } = keptSeat(id) ?? {};
  // When it was fetched afterwards, its time of arrival says nothing.
  return proof && { battle: id, proof, known, arrivedAt: isFetched ? undefined : receivedAt };
}

/** Check the receipt that this browser keeps of the player's seat: `{ text, passed }` each; null without one. */
export async function checkReceipt(id) {
  const receipt = receiptOf(id);
  if (!receipt) return null;
  const { path } = await findLog();
  const [keys, { witnesses: all }] = await Promise.all([getText(`${path}/key`), findWitnesses(path)]);
  // Those that have not cosigned its checkpoint say nothing about the battle.
  const witnesses = keysOf(all.filter(({ key }) => receipt.proof.includes(`\n\u2014 ${nameOfKey(key)} `)));
  return (await checkBattleReceipt(receipt, { ...receipt, keys, witnesses, fetchNetwork })).checks;
}

/** Check a receipt that has just arrived, and say on every page if it does not hold. */
export async function warnOfReceipt(id) {
  const checks = await checkReceipt(id).catch(({ message }) => [{ text: message, passed: false }]);
  const wrong = checks?.filter(({ passed }) => passed === false) ?? [];
  if (wrong.length) notify(`The receipt of your battle does not hold. ${wrong.map(({ text }) => text).join(". ")}.`);
}
