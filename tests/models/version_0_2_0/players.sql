-- Rows that commands and services of version 0.2.0 wrote, with the SECRET_KEY of the tests. The proof of Alice's
-- first spin was not acknowledged, and those of the others were not due. Only two things were changed afterwards:
-- Bob's seed is from before the seed marks, and a refresh of the price feed is running.
INSERT INTO users (platform_id, username, username_folded, avatar, registered_at_ms, balance_cents, vault_cents, sweepstake_cents, vault_deadline_ms, granted_experience, wagered_cents, earned_cents, client_seed, trade_url, two_factor_enabled, deposit_bonus, free_cases) VALUES
    ('76561190000000001', 'alice', 'alice', '', 1700000000000, 10400, 500, 0, 1700086400000, 0, 300, 200, '3b67c40e84219041', '', FALSE, FALSE, 0),
    ('76561190000000002', 'bob', 'bob', '', 1700000000000, 1000, 0, 0, NULL, 0, 0, 0, 'b29cd2e701049c96', '', FALSE, FALSE, 0);
INSERT INTO announced_seeds (user_id, nonce, server_seed_commitment, sealed_server_seed, epoch) VALUES
    (1, 4, '47b743db3618ad33a2a420e12d9c5406b3acce4fbd8162cd609a0e329e97a33f', 'gAAAAABrBAKbOVP9Glv8dn1L29hSEJ7x-bkB_er4KadgjrvdMi1jSPxmrDpL-b_2wZYkcRT0Flt5LieuFGip0zQw6ZvjzCI2Pj6_7kJ93OG7bseg0RHLL-A5QHgTUM8nt2cUM_QyF8_xCiKqCQXTbSilkzy8ZKuECt7_ByluNEBKX3CKBZyRVfU=', 1),
    (2, 1, '188c36aca699740e0aee0f4e7a8f12b09625140e7e2617d2893b5f67667e0174', 'gAAAAABrBAKb2YYvuGgLtLbUgL2k9UI7r4SKPdvaatgkNgMk9wjVrAEpPwjMym9hmq924gDuMhteEYJzt9q6QhfkLGYI31djnQH7XbzVNKwFIh5F9W8oCsqtf0a6KnwaTkJ80tBT1OGpqaNt7Z2MN6saDj2KpSsl7RdpzQStPFMAnq_76pFkcf0=', 0);
INSERT INTO items (app_id, market_hash_name, gun_name, skin_name, image, price_cents, custom_price, next_price_fetch_ms, price_source) VALUES
    (730, 'Item', 'Item', '', '', 200, FALSE, 1700000000000, 'import'),
    (730, 'Without price', 'Without price', '', '', NULL, FALSE, 1700000000000, NULL);
INSERT INTO cases (slug, name, name_folded, kind, type, price_cents, spins, created_at_ms) VALUES
    ('level-10-box', 'Level 10 box', 'level 10 box', 'level', 'gamea', 211, 0, 1700000000000),
    ('elite-box', 'Elite box', 'elite box', 'level', 'gamea', 211, 0, 1700000000000),
    ('regular-box', 'Regular box', 'regular box', 'regular', 'gamea', 211, 0, 1700000000000);
INSERT INTO case_items (case_id, position, item_id, chance_attos) VALUES
    (1, 0, 1, 1000000000000000000),
    (2, 0, 1, 1000000000000000000),
    (3, 0, 1, 1000000000000000000);
INSERT INTO case_version (id, version) VALUES
    (1, 3);
INSERT INTO ledger_transactions (kind, created_at_ms) VALUES
    ('grant', 1700000000000),
    ('grant', 1700000000000),
    ('deposit', 1700000000000),
    ('vault-lock', 1700000000000),
    ('spin', 1700000001000),
    ('spin', 1700000002000),
    ('spin', 1700000003000);
INSERT INTO ledger_entries (transaction_id, account, user_id, amount_cents) VALUES
    (1, 'house.grants', NULL, -10000),
    (1, 'balance', 1, 10000),
    (2, 'house.grants', NULL, -1000),
    (2, 'balance', 2, 1000),
    (3, 'house.payments', NULL, -1000),
    (3, 'balance', 1, 1000),
    (4, 'balance', 1, -500),
    (4, 'vault', 1, 500),
    (5, 'balance', 1, -100),
    (5, 'house.bets', NULL, 100),
    (6, 'balance', 1, -100),
    (6, 'house.bets', NULL, 100),
    (6, 'house.bets', NULL, -200),
    (6, 'balance', 1, 200),
    (7, 'balance', 1, -100),
    (7, 'house.bets', NULL, 100);
INSERT INTO bets (user_id, game, nonce, ledger_transaction_id, wager_cents, payout_cents, status, item, price_cents, house_edge_ppm, threshold, roll, client_seed, server_seed_commitment, sealed_server_seed, server_seed, request_id, request_digest, created_at_ms, completed_at_ms) VALUES
    (1, 'upgrader', 1, 5, 100, 0, 'lost', 'Item', 200, 50000, 4750000, 5445082, '3b67c40e84219041', 'e1e37c074b38866a4a1d755f6f01f0218b995c918faef582bd0f1bf493934077', NULL, '79b37bb6181fbb27900236eacfe16621fafb106fb3fce2376e357892ae04fc6f', 'first', '7b0518a5517082ec775de47c125ce0a2476532fc5c7b3e363208c228fbd25c6f', 1700000001000, 1700000007000),
    (1, 'upgrader', 2, 6, 100, 200, 'won', 'Item', 200, 50000, 4750000, 2435388, '3b67c40e84219041', '334f256633797488c587c1af8d7bf58eda4c08ca1fb3f2c3417ae89ba0e50096', 'gAAAAABrBAKbPG7sTXwWWfDVAaDMloiEUS89lW9TD2o6TzrSDhUKQ0kQgOSP2X5FF2GUJd_AYZJOpp6qjAGxyDAwyt-26En-B8sXv23fOPsm5prLEIA_Pw103kPOgqdCfPKZgaIC5w2Cz_TctzgCgI3Ya34Ku2Vhl-oJbEbde6Xe8kySsK2kfPU=', NULL, NULL, NULL, 1700000002000, 1700000008000),
    (1, 'upgrader', 3, 7, 100, 0, 'lost', 'Item', 200, 50000, 4750000, 7947359, '3b67c40e84219041', 'ad4023feebf0e3787447b8a6dba2df97967b2ea88e35856b37141c3bb3cca587', 'gAAAAABrBAKba91IsYVBNMEe7Mb1dt5tCyLZTIdQ49_Q3_YB4BmLraa-aIbVsxJ-TAlz2qtUVPj56-ybUQgupd4tUIvbM3md7q2OTMH1gnM1yV7M-fi4dGHNU28PsGFjon_P_Z-LPheiYMPUiFlDmNhrLx4D26lHMOkBUZDpOyRLtGZjWz1eGno=', NULL, NULL, NULL, 1700000003000, 1700000009000);
INSERT INTO payments (user_id, type, chain, asset, amount, usd_cents, txhash, transfer_key, "to", ledger_transaction_id, created_at_ms) VALUES
    (1, 'deposit', '', '', '10.00', 1000, '0xAbC1', 'abc1', '', 3, 1700000000000);
INSERT INTO payment_totals (user_id, deposits, deposited_cents, withdraws, withdrawn_cents) VALUES
    (1, 1, 1000, 0, 0);
INSERT INTO notifications (user_id, title, message, created_at_ms) VALUES
    (1, 'Deposit credited', 'Your deposit of $10.00 was credited to your balance.', 1700000000000);
INSERT INTO period_wagers (period, starts_at_ms, user_id, wagered_cents) VALUES
    ('monthly', 1698796800000, 1, 300),
    ('weekly', 1699833600000, 1, 300);
INSERT INTO live_bet_counts (shard, bets, high_rolls) VALUES
    (1, 3, 0);
UPDATE price_sources SET next_at_ms = 1700000300000, running_until_ms = 1700000060000 WHERE name = 'feed';
UPDATE price_sources SET next_at_ms = 1700000030000, failures = 1 WHERE name = 'market';
