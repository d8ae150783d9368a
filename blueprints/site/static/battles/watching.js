// Battles as they change, through the socket: the list, or one of them.

import { ANSWER_MS, socket } from "../connection.js";

/**
 * Send `event` with `payload` now and after each connection, until `stop()` of what is returned is called, which sends
 * `stopping`. `heard` is called with each acknowledgement, and with each payload of the event `changes`.
 */
function watch({ event, payload = {}, changes, stopping, answered, changed }) {
  let isOver = false;
  const start = async () => {
    // Without an answer the connection is lost, and the next one asks again.
    const answer = await socket.timeout(ANSWER_MS).emitWithAck(event, payload).catch(() => null);
    if (answer && !isOver) answered(answer);
  };
  const hear = (battle) => { if (!isOver) changed(battle); };
  const again = () => { if (!isOver) start(); };
  socket.on("connect", again);
  socket.on(changes, hear);
  if (socket.connected) start();
  return {
    stop() {
      isOver = true;
      socket.off("connect", again);
      socket.off(changes, hear);
      if (socket.connected) socket.emit(stopping, payload);
    },
  };
}

/** `answered({ status, battles, error })`, `changed(battle)` in short form. */
export const watchList = ({ answered, changed }) => watch({
  event: "battles:watch", changes: "battles:changed", stopping: "battles:unwatch", answered, changed,
});

/** `answered({ status, battle, error })`, `changed(battle)` whole. */
export const watchBattle = (id, { answered, changed }) => watch({
  event: "battle:watch",
  payload: { id },
  changes: "battle:changed",
  stopping: "battle:unwatch",
  answered,
  changed: (battle) => { if (battle.id === id) changed(battle); },
});
