-- Settles one spin in one statement: the work of a spin for the servers that the platform is compared with.
-- Each parameter has its name and its type. bench/speed/spins_peers.py numbers them.
WITH lock AS MATERIALIZED (
    SELECT
        pg_try_advisory_xact_lock(1936746862, CAST(:user_id::bigint & 2147483647 AS INTEGER)) AS is_taken,
        :snapshot_id::bigint IS NULL OR :snapshot_text::text IS NOT NULL OR EXISTS (SELECT 1 FROM snapshots
            WHERE id = :snapshot_id::bigint AND hash = :snapshot_hash::text) AS has_snapshot
), seed AS (
    SELECT user_id FROM announced_seeds
    WHERE (SELECT is_taken AND has_snapshot FROM lock) AND user_id = :user_id::bigint AND nonce =
        :nonce::bigint AND server_seed_commitment = :server_seed_commitment::text
    AND is_logged
    AND epoch = (SELECT epoch FROM log WHERE NOT is_paused)
    AND EXISTS (SELECT 1 FROM log_checkpoints WHERE size = :checkpoint_size::bigint AND root =
        :checkpoint_root::text)
    FOR UPDATE
), locked_player AS (
    SELECT id FROM users JOIN seed ON id = seed.user_id
    WHERE :case_read_at_ms::bigint IS NOT NULL
    FOR NO KEY UPDATE OF users
), player AS (
    UPDATE users SET balance_cents = balance_cents - :wager_cents::bigint + :payout_cents::bigint *
        CAST(:prize_image::text IS NULL AS INTEGER),
    balance_version = balance_version + 1,
    wagered_cents = wagered_cents + :wager_cents::bigint,
    earned_cents = earned_cents + :payout_cents::bigint,
    theoretical_loss_ucents = theoretical_loss_ucents
        + :wager_cents::bigint * COALESCE(:house_edge_ppm::bigint, :counted_edge_ppm::bigint, 0),
    last_bet_at_ms = :created_at_ms::bigint,
        play_began_at_ms = CASE WHEN :created_at_ms::bigint - last_bet_at_ms < 1800000 THEN play_began_at_ms
            ELSE :created_at_ms::bigint END,
        play_wagered_cents = CASE WHEN :created_at_ms::bigint - last_bet_at_ms < 1800000 THEN
            play_wagered_cents ELSE 0 END + :wager_cents::bigint,
        play_paid_cents = CASE WHEN :created_at_ms::bigint - last_bet_at_ms < 1800000 THEN play_paid_cents
            ELSE 0 END + :payout_cents::bigint,
        day_starts_at_ms = CASE WHEN day_starts_at_ms >= :day::bigint THEN day_starts_at_ms ELSE :day::bigint
            END, day_wagered_cents = CASE WHEN day_starts_at_ms >= :day::bigint THEN day_wagered_cents ELSE 0
            END + :wager_cents::bigint, day_paid_cents = CASE WHEN day_starts_at_ms >= :day::bigint THEN
            day_paid_cents ELSE 0 END + :payout_cents::bigint,
        week_starts_at_ms = CASE WHEN week_starts_at_ms >= :week::bigint THEN week_starts_at_ms ELSE
            :week::bigint END, week_wagered_cents = CASE WHEN week_starts_at_ms >= :week::bigint THEN
            week_wagered_cents ELSE 0 END + :wager_cents::bigint, week_paid_cents = CASE WHEN
            week_starts_at_ms >= :week::bigint THEN week_paid_cents ELSE 0 END + :payout_cents::bigint,
        month_starts_at_ms = CASE WHEN month_starts_at_ms >= :month::bigint THEN month_starts_at_ms ELSE
            :month::bigint END, month_wagered_cents = CASE WHEN month_starts_at_ms >= :month::bigint THEN
            month_wagered_cents ELSE 0 END + :wager_cents::bigint, month_paid_cents = CASE WHEN
            month_starts_at_ms >= :month::bigint THEN month_paid_cents ELSE 0 END + :payout_cents::bigint
    FROM seed
    WHERE id = seed.user_id AND balance_cents >= :wager_cents::bigint AND CASE
    WHEN token_number <> :token_number::bigint THEN 'ended'
    WHEN suspended_at_ms IS NOT NULL THEN 'suspended'
    WHEN excluded_until_ms > :created_at_ms::bigint THEN 'excluded'
    WHEN :longest_play_ms::bigint > 0 AND :created_at_ms::bigint - last_bet_at_ms < 1800000 AND
        :created_at_ms::bigint - play_began_at_ms >= :longest_play_ms::bigint
        THEN 'play session'
    WHEN :created_at_ms::bigint - last_bet_at_ms BETWEEN 1 - :min_cycle_ms::bigint AND :min_cycle_ms::bigint -
        1 THEN 'cycle'
    WHEN NOT ((EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT - :case_read_at_ms::bigint BETWEEN 0 AND
        1000) THEN 'stale'
    WHEN CASE WHEN day_starts_at_ms >= :day::bigint THEN day_wagered_cents ELSE 0 END + battle_seats_cents +
        :wager_cents::bigint > day_wager_limit_cents THEN 'wager day'
    WHEN CASE WHEN week_starts_at_ms >= :week::bigint THEN week_wagered_cents ELSE 0 END + battle_seats_cents
        + :wager_cents::bigint > week_wager_limit_cents THEN 'wager week'
    WHEN CASE WHEN month_starts_at_ms >= :month::bigint THEN month_wagered_cents ELSE 0 END +
        battle_seats_cents + :wager_cents::bigint > month_wager_limit_cents THEN 'wager month'
    WHEN CASE WHEN day_starts_at_ms >= :day::bigint THEN day_wagered_cents - day_paid_cents ELSE 0 END +
        battle_seats_cents + :wager_cents::bigint > day_loss_limit_cents THEN 'loss day'
    WHEN CASE WHEN week_starts_at_ms >= :week::bigint THEN week_wagered_cents - week_paid_cents ELSE 0 END +
        battle_seats_cents + :wager_cents::bigint > week_loss_limit_cents THEN 'loss week'
    WHEN CASE WHEN month_starts_at_ms >= :month::bigint THEN month_wagered_cents - month_paid_cents ELSE 0 END
        + battle_seats_cents + :wager_cents::bigint > month_loss_limit_cents THEN 'loss month'
END IS NULL
        AND (:case_read_at_ms::bigint IS NULL OR (SELECT (EXTRACT(EPOCH FROM clock_timestamp()) *
            1000)::BIGINT - :case_read_at_ms::bigint BETWEEN 0 AND 1000 FROM locked_player))
    RETURNING id, balance_cents, vault_cents, sweepstake_cents, balance_version
), next_seed AS (
    UPDATE announced_seeds SET nonce = nonce + 1,
    server_seed_commitment = :next_commitment_hex::text,
    encrypted_server_seed = :next_encrypted_server_seed::text
    FROM player WHERE user_id = player.id
), posting AS (
    INSERT INTO ledger_transactions (kind, created_at_ms)
    SELECT :ledger_kind::text, :created_at_ms::bigint FROM player
    RETURNING id
),
entries AS (
    INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents)
    SELECT posting.id, entry.column1, entry.column2, entry.column3
    FROM posting, (
        VALUES
            ('balance', :user_id::bigint, -:wager_cents::bigint), ('house.bets', NULL, :wager_cents::bigint),
            ('house.bets', NULL, -:payout_cents::bigint),
            ('house.prizes', NULL, :payout_cents::bigint * CAST(:prize_image::text IS NOT NULL AS INTEGER)),
            ('balance', :user_id::bigint, :payout_cents::bigint * CAST(:prize_image::text IS NULL AS INTEGER))
    ) AS entry
    WHERE entry.column3 <> 0
),
snapshot AS (
    INSERT INTO snapshots (id, hash, content)
    SELECT :snapshot_id::bigint, :snapshot_hash::text, :snapshot_text::text FROM player
    WHERE :snapshot_text::text IS NOT NULL AND NOT EXISTS (SELECT 1 FROM snapshots WHERE id =
        :snapshot_id::bigint AND hash = :snapshot_hash::text)
    ON CONFLICT (id) DO UPDATE SET hash = CASE WHEN snapshots.hash = EXCLUDED.hash THEN EXCLUDED.hash END
    RETURNING id),
bet AS (
    INSERT INTO bets (ledger_transaction_id, user_id, game, nonce, algorithm, wager_cents, payout_cents,
        status, item, price_cents, house_edge_ppm, threshold, roll, snapshot_id, ticket, client_seed,
        server_seed_commitment, encrypted_server_seed, request_id, request_digest, created_at_ms,
        proof_due_at_ms, next_commitment, case_id, counted_edge_ppm)
    SELECT posting.id, :user_id::bigint, :game::text, :nonce::bigint, :algorithm::text, :wager_cents::bigint,
        :payout_cents::bigint, :status::text, :item::text, :price_cents::bigint, :house_edge_ppm::bigint,
        :threshold::bigint, :roll::bigint, :snapshot_id::bigint, :ticket::bigint, :client_seed::text,
        :server_seed_commitment::text, :encrypted_server_seed::text, :request_id::text, :request_digest::text,
        :created_at_ms::bigint, :proof_due_at_ms::bigint, :next_commitment::bytea, :case_id::bigint,
        :counted_edge_ppm::bigint FROM posting LEFT JOIN snapshot ON TRUE
    RETURNING id, wager_cents, payout_cents
),
waiting AS (INSERT INTO log_waiting_bets (bet_id) SELECT id FROM bet WHERE TRUE),
live_bets AS (
    INSERT INTO live_bet_counts (shard, bets, high_rolls)
    SELECT :shard::bigint, 1, CAST((wager_cents >= 5000 OR (wager_cents > 0 AND payout_cents >= 10 *
        wager_cents)) AS INTEGER) FROM bet WHERE TRUE
    ON CONFLICT (shard) DO UPDATE SET bets = live_bet_counts.bets + EXCLUDED.bets,
        high_rolls = live_bet_counts.high_rolls + EXCLUDED.high_rolls
),
case_spin AS (
    INSERT INTO case_spins (game, case_id, shard, spins)
    SELECT :game::text, :case_id::bigint, :shard::bigint, 1 FROM bet WHERE :case_id::bigint IS NOT NULL
    ON CONFLICT (game, case_id, shard) DO UPDATE SET spins = case_spins.spins + 1
),
prize AS (
    INSERT INTO prizes (user_id, bet_id, name, image, value_cents, status, won_at_ms)
    SELECT :user_id::bigint, bet.id, :item::text, :prize_image::text, :payout_cents::bigint, 'kept',
        :created_at_ms::bigint
    FROM bet WHERE :prize_image::text IS NOT NULL
    RETURNING id
)
SELECT
    lock.is_taken, lock.has_snapshot, EXISTS (SELECT FROM seed), bet.id, prize.id, balance_cents, vault_cents,
        sweepstake_cents, balance_version
FROM lock LEFT JOIN player ON TRUE LEFT JOIN bet ON TRUE LEFT JOIN prize ON TRUE
