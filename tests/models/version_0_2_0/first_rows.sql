-- The rows that the migrations of version 0.2.0 made.
INSERT INTO schema_migration (name, applied) VALUES
    ('0001_foundation', '2026-11-22 09:00:00'),
    ('0002_login_and_profile', '2026-11-22 09:00:00'),
    ('0003_cases', '2026-11-22 09:00:00'),
    ('0004_prices', '2026-11-22 09:00:00'),
    ('0005_statistics', '2026-11-22 09:00:00'),
    ('0006_affiliates', '2026-11-22 09:00:00'),
    ('0007_case_values', '2026-11-22 09:00:00'),
    ('0008_seed_marks', '2026-11-22 09:00:00'),
    ('0009_price_source', '2026-11-22 09:00:00'),
    ('0010_transfer_keys', '2026-11-22 09:00:00'),
    ('0011_no_case_values', '2026-11-22 09:00:00'),
    ('0012_price_schedule', '2026-11-22 09:00:00');
INSERT INTO seed_marks (number, token, epoch) VALUES (1, 'b7cfe83af2516cc652cf3c38132f163c', 1);
INSERT INTO price_sources (name, next_at_ms, running_until_ms, failures) VALUES ('feed', 0, 0, 0), ('market', 0, 0, 0);
INSERT INTO market_slots (slot, used_at_ms) VALUES
    (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0),
    (10, 0), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0), (16, 0), (17, 0), (18, 0), (19, 0);
