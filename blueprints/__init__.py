"""The contract: what each area serves over HTTP and sockets, and the operator's commands."""

from blueprints.affiliate.routes import blueprint as affiliate_blueprint
from blueprints.auth.routes import blueprint as auth_blueprint
from blueprints.auth.routes import login_blueprint
from blueprints.battles.routes import blueprint as battles_blueprint
from blueprints.bets.routes import blueprint as bets_blueprint
from blueprints.bets.routes import snapshots_blueprint
from blueprints.cases.routes import blueprint as cases_blueprint
from blueprints.irl.routes import blueprint as irl_blueprint
from blueprints.leaderboard.routes import blueprint as leaderboard_blueprint
from blueprints.limits.routes import blueprint as limits_blueprint
from blueprints.log.receipts import blueprint as receipts_blueprint
from blueprints.log.routes import blueprint as log_blueprint
from blueprints.log.routes import successors as log_successors_blueprint
from blueprints.operator import imports
from blueprints.operator.audits import audit_commands, ledger_commands
from blueprints.operator.battles import group as battles_commands
from blueprints.operator.fairness import group as fairness_commands
from blueprints.operator.imports import prices_commands
from blueprints.operator.log import group as log_commands
from blueprints.operator.payments import group as payments_commands
from blueprints.operator.prizes import group as prizes_commands
from blueprints.operator.rewards import group as rewards_commands
from blueprints.operator.staff import group as staff_commands
from blueprints.operator.system import (
    check,
    cluster_commands,
    db,
    demo_page,
    secrets_commands,
    seed,
    seeds_commands,
)
from blueprints.operator.users import notifications_commands, two_factor_commands, users_commands
from blueprints.payments.routes import blueprint as payments_blueprint
from blueprints.payments.webhooks import blueprint as webhooks_blueprint
from blueprints.prizes.routes import blueprint as prizes_blueprint
from blueprints.profile.avatar import blueprint as avatar_blueprint
from blueprints.profile.closing import blueprint as closing_blueprint
from blueprints.profile.export import blueprint as export_blueprint
from blueprints.profile.routes import blueprint as profile_blueprint
from blueprints.profile.two_factor import blueprint as two_factor_blueprint
from blueprints.rewards.routes import blueprint as rewards_blueprint
from blueprints.shared_bets.routes import blueprint as shared_bets_blueprint
from blueprints.site.routes import blueprint as site_blueprint
from blueprints.stats.routes import blueprint as stats_blueprint
from blueprints.sweepstake.routes import blueprint as sweepstake_blueprint
from blueprints.system.docs import blueprint as docs_blueprint
from blueprints.system.docs import swagger_blueprint
from blueprints.system.media import blueprint as media_blueprint
from blueprints.system.routes import blueprint as system_blueprint
from blueprints.upgrader.routes import blueprint as upgrader_blueprint

API_BLUEPRINTS = (
    system_blueprint,
    auth_blueprint,
    login_blueprint,
    profile_blueprint,
    avatar_blueprint,
    two_factor_blueprint,
    closing_blueprint,
    export_blueprint,
    affiliate_blueprint,
    rewards_blueprint,
    cases_blueprint,
    irl_blueprint,
    prizes_blueprint,
    payments_blueprint,
    webhooks_blueprint,
    limits_blueprint,
    upgrader_blueprint,
    battles_blueprint,
    bets_blueprint,
    snapshots_blueprint,
    log_blueprint,
    receipts_blueprint,
    stats_blueprint,
    leaderboard_blueprint,
    sweepstake_blueprint,
)
"""In the order of /openapi.json."""

PAGE_BLUEPRINTS = (
    media_blueprint,
    docs_blueprint,
    swagger_blueprint(),
    site_blueprint,
    shared_bets_blueprint,
    log_successors_blueprint,
)
"""Files and pages, and second paths of operations, which /openapi.json does not describe."""

COMMANDS = (
    check,
    db,
    seed,
    demo_page,
    users_commands,
    imports.items,
    prices_commands,
    imports.cases,
    imports.irl,
    ledger_commands,
    log_commands,
    payments_commands,
    prizes_commands,
    rewards_commands,
    notifications_commands,
    two_factor_commands,
    staff_commands,
    fairness_commands,
    battles_commands,
    secrets_commands,
    seeds_commands,
    cluster_commands,
    audit_commands,
)
