"""The tables of staff, their proposals, and alarms."""

TABLES = """
CREATE TABLE staff_accounts (
    id BIGSERIAL NOT NULL PRIMARY KEY, name VARCHAR(32) NOT NULL,
    role VARCHAR(16) NOT NULL
        CHECK (role IN ('support', 'payments', 'content', 'compliance', 'auditor', 'admin')),
    password_hash VARCHAR(255), encrypted_secret TEXT, last_used_step BIGINT, enrolment_hash VARCHAR(64),
    enrolment_expires_at_ms BIGINT, created_at_ms BIGINT NOT NULL, last_login_at_ms BIGINT,
    disabled_at_ms BIGINT
);
CREATE UNIQUE INDEX staff_accounts_name ON staff_accounts (name);
CREATE UNIQUE INDEX staff_accounts_enrolment_hash ON staff_accounts (enrolment_hash);
CREATE TABLE staff_sessions (
    token_hash VARCHAR(64) NOT NULL PRIMARY KEY,
    staff_id BIGINT NOT NULL REFERENCES staff_accounts (id) ON DELETE CASCADE, network VARCHAR(64) NOT NULL,
    began_at_ms BIGINT NOT NULL, last_seen_at_ms BIGINT NOT NULL, confirmed_at_ms BIGINT NOT NULL,
    ended_at_ms BIGINT
);
CREATE INDEX staff_sessions_of_account ON staff_sessions (staff_id, began_at_ms);
CREATE TABLE staff_login_failures (
    id BIGSERIAL NOT NULL PRIMARY KEY, name_digest VARCHAR(64) NOT NULL, network VARCHAR(64) NOT NULL,
    at_ms BIGINT NOT NULL
);
CREATE INDEX staff_login_failures_of_name ON staff_login_failures (name_digest, at_ms);
CREATE INDEX staff_login_failures_by_time ON staff_login_failures (at_ms);
CREATE TABLE proposals (
    id BIGSERIAL NOT NULL PRIMARY KEY, action VARCHAR(32) NOT NULL, arguments TEXT NOT NULL,
    description VARCHAR(500) NOT NULL, user_id BIGINT REFERENCES users (id) ON DELETE RESTRICT,
    amount_cents BIGINT, reason VARCHAR(200) NOT NULL,
    status VARCHAR(9) NOT NULL CHECK (status IN ('open', 'approved', 'rejected', 'withdrawn', 'performed')),
    proposed_by VARCHAR(64) NOT NULL, proposed_at_ms BIGINT NOT NULL, decided_by VARCHAR(64),
    decided_at_ms BIGINT, decision_reason VARCHAR(200) NOT NULL, form_key VARCHAR(32),
    CONSTRAINT proposals_decided CHECK ((status = 'open') = (decided_by IS NULL)),
    CONSTRAINT proposals_decided_at CHECK ((decided_by IS NULL) = (decided_at_ms IS NULL)),
    CONSTRAINT proposals_four_eyes CHECK (status <> 'approved' OR decided_by <> proposed_by)
);
CREATE UNIQUE INDEX proposals_form_key ON proposals (form_key);
CREATE INDEX proposals_open ON proposals (id) WHERE status = 'open';
CREATE INDEX proposals_closed ON proposals (id) WHERE status <> 'open';
CREATE INDEX proposals_performed ON proposals (decided_at_ms) WHERE status = 'performed';
CREATE INDEX proposals_of_player ON proposals (user_id, id) WHERE user_id IS NOT NULL;
CREATE TABLE alarms (
    id BIGSERIAL NOT NULL PRIMARY KEY, rule VARCHAR(32) NOT NULL, subject VARCHAR(350) NOT NULL,
    text VARCHAR(500) NOT NULL, raised_at_ms BIGINT NOT NULL, ended_at_ms BIGINT, acknowledged_at_ms BIGINT,
    acknowledged_by VARCHAR(80), reason VARCHAR(200) NOT NULL, send_at_ms BIGINT, tries INTEGER NOT NULL,
    accepted_at_ms BIGINT, staff_name VARCHAR(32),
    CONSTRAINT alarms_acknowledged CHECK ((acknowledged_at_ms IS NULL) = (acknowledged_by IS NULL)),
    CONSTRAINT alarms_sent CHECK (accepted_at_ms IS NULL OR send_at_ms IS NULL)
);
CREATE UNIQUE INDEX alarms_going_on ON alarms (rule, subject)
    WHERE acknowledged_at_ms IS NULL OR ended_at_ms IS NULL;
CREATE INDEX alarms_by_subject ON alarms (rule, subject);
CREATE INDEX alarms_open ON alarms (id) WHERE acknowledged_at_ms IS NULL;
CREATE INDEX alarms_to_send ON alarms (send_at_ms) WHERE send_at_ms IS NOT NULL;
CREATE TABLE alarm_progress (name VARCHAR(32) NOT NULL PRIMARY KEY, value BIGINT NOT NULL);
"""


def up(migrator, db):
    db.run_script(TABLES)
