"""Players as JSON values, written out: a schema takes ten times as long, and /auth/me is asked for often."""

from typing import Any

from blueprints.auth.schemas import experience_points
from blueprints.common.media import avatar_url
from models.users import User
from services.levels import level_of
from services.money import number_from_cents


def own_view(user: User) -> dict[str, Any]:
    """What a player may see of themselves, as UserSchema describes it."""
    experience = experience_points(user)
    return {
        "platformid": user.platform_id,
        "username": user.username,
        "avatar": avatar_url(user.avatar),
        "experience": experience,
        "level": level_of(experience),
        "registerDate": user.registered_at_ms,
        "balance": number_from_cents(user.balance_cents),
        "vaultBalance": number_from_cents(user.vault_cents),
        "vaultDeadline": user.vault_deadline_ms,
        "sweepstakeBalance": number_from_cents(user.sweepstake_cents),
        "clientSeed": user.client_seed,
        "tradeUrl": user.trade_url,
        "twoFactorEnabled": user.two_factor_enabled,
        "affiliate": {"code": user.affiliate_code or "", "used": user.used_affiliate_code or ""},
        "depositBonus": user.deposit_bonus,
        "freeCases": user.free_cases,
    }
