-- A spin as it is written without much thought for speed: a statement a step, in a transaction. bench/speed/pgbench.py
-- sets the variables.
BEGIN;
SELECT nonce, server_seed_commitment, encrypted_server_seed FROM announced_seeds WHERE user_id = :player FOR UPDATE;
SELECT client_seed FROM users WHERE id = :player;
UPDATE users SET balance_cents = balance_cents - 50 WHERE id = :player AND balance_cents >= 50;
INSERT INTO ledger_transactions (kind, created_at_ms) VALUES ('spin', :made) RETURNING id AS given_id \gset
INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents)
VALUES (:given_id, 'balance', :player, -50), (:given_id, 'house.bets', NULL, 50);
\if :payout > 0
UPDATE users SET balance_cents = balance_cents + :payout WHERE id = :player;
INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents)
VALUES (:given_id, 'house.bets', NULL, -:payout), (:given_id, 'balance', :player, :payout);
\endif
UPDATE users SET
    wagered_cents = wagered_cents + 50, earned_cents = earned_cents + :payout,
    week_starts_at_ms = 1799625600000, week_wagered_cents = week_wagered_cents + 50,
    month_starts_at_ms = 1798761600000, month_wagered_cents = month_wagered_cents + 50
WHERE id = :player;
INSERT INTO bets (
    user_id, game, nonce, ledger_transaction_id, algorithm, wager_cents, payout_cents, status, item, price_cents,
    house_edge_ppm, threshold, roll, client_seed, server_seed_commitment, encrypted_server_seed,
    created_at_ms, proof_due_at_ms, next_commitment
)
VALUES (
    :player, 'upgrader', :nonce, :given_id, 'upgrader-1', 50, :payout,
    CASE WHEN :payout > 0 THEN 'won' ELSE 'lost' END, 'Item of a spin', 100,
    50000, 4750000, :roll, 'a-seed-of-ones-own', lpad(:serial::text, 64, '0'), repeat('s', 140) || :serial,
    :made, :made + 600000, sha256('')
);
UPDATE announced_seeds SET
    nonce = :nonce + 1,
    server_seed_commitment = lpad(:next_serial::text, 64, '0'),
    encrypted_server_seed = repeat('s', 140) || :next_serial
WHERE user_id = :player AND nonce = :nonce;
INSERT INTO live_bet_counts (shard, bets, high_rolls) VALUES (:shard, 1, 0)
ON CONFLICT (shard) DO UPDATE SET bets = live_bet_counts.bets + EXCLUDED.bets;
SELECT balance_cents, vault_cents, sweepstake_cents FROM users WHERE id = :player;
COMMIT;
