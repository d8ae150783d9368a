"""What staff do with a player's account: the forms at the tabs Overview and Notes."""

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import request, url_for

from blueprints.office.access import current_staff, needs, needs_fresh_code
from blueprints.office.blueprint import office
from blueprints.office.player import notes_of, overview_of, player_of
from blueprints.office.results import attempt, perform_or_propose, typed_cents
from models.users import User
from server.current_services import get_services
from services.staff import notes, player_actions
from services.staff.permissions import Permission
from services.staff.proposals import Outcome

Work = Callable[[User], str | Outcome]


def _act(platform_id: str, form: str, work: Work) -> Any:
    """Do what a form of the overview asks for."""
    player = player_of(platform_id)
    return attempt(
        lambda: work(player),
        to=url_for("office.player_overview", platform_id=platform_id),
        again=lambda refusal: overview_of(player_of(platform_id), sent=form, refusal=refusal),
    )


def _text(name: str) -> str:
    return request.form.get(name, "")


def _act_with_reason(platform_id: str, form: str, action: Callable[..., object], *, done: str) -> Any:
    """Do what needs nothing more than a reason. ``done`` says so afterwards."""

    def work(player: User) -> str:
        action(user_id=player.id, reason=_text("reason"), now=get_services().clock())
        return done

    return _act(platform_id, form, work)


@office.post("/players/<platform_id>/log-out")
@needs(Permission.PLAYERS_ACT)
def log_player_out(platform_id: str) -> Any:
    done = "The player was logged out everywhere"
    return _act_with_reason(platform_id, "log-out", player_actions.log_out, done=done)


@office.post("/players/<platform_id>/suspend")
@needs(Permission.PLAYERS_ACT)
def suspend_player(platform_id: str) -> Any:
    done = "The player is suspended"
    return _act_with_reason(platform_id, "suspend", player_actions.suspend, done=done)


@office.post("/players/<platform_id>/resume")
@needs(Permission.PLAYERS_ACT)
def resume_player(platform_id: str) -> Any:
    return _act_with_reason(platform_id, "resume", player_actions.resume, done="The suspension is over")


@office.post("/players/<platform_id>/exclude")
@needs(Permission.PLAYERS_EXCLUDE)
@needs_fresh_code
def exclude_player(platform_id: str) -> Any:
    exclude = partial(player_actions.exclude, duration=_text("duration"))
    return _act_with_reason(platform_id, "exclude", exclude, done="The player is excluded from all games")


@office.post("/players/<platform_id>/notify")
@needs(Permission.PLAYERS_ACT)
def notify_player(platform_id: str) -> Any:
    notify = partial(player_actions.notify, title=_text("title"), message=_text("message"))
    return _act_with_reason(platform_id, "notify", notify, done="The message was sent")


@office.post("/players/<platform_id>/balance")
@needs(Permission.BALANCES_CHANGE)
@needs_fresh_code
def change_balance(platform_id: str) -> Any:
    def work(player: User) -> Outcome:
        amount = typed_cents(_text("amount"), is_signed=True)
        arguments = {"platformId": player.platform_id, "amountCents": amount}
        return perform_or_propose("balance.change", arguments)

    return _act(platform_id, "balance", work)


@office.post("/players/<platform_id>/reset-two-factor")
@needs(Permission.TWO_FACTOR_RESET)
@needs_fresh_code
def reset_two_factor(platform_id: str) -> Any:
    def work(player: User) -> Outcome:
        return perform_or_propose("two-factor.reset", {"platformId": player.platform_id})

    return _act(platform_id, "reset-two-factor", work)


@office.post("/players/<platform_id>/tags")
@needs(Permission.PLAYERS_ACT)
def change_tags(platform_id: str) -> Any:
    """Add a tag, or remove one."""

    def work(player: User) -> str:
        change: Any = {"user_id": player.id, "reason": _text("reason"), "now": get_services().clock()}
        if removed := _text("remove"):
            notes.remove_tag(tag=removed, **change)
            return f"The tag {removed} was removed"
        notes.add_tag(tag=_text("tag"), by=current_staff().name, **change)
        return "The tag was added"

    return _act(platform_id, "tags", work)


@office.post("/players/<platform_id>/notes")
@needs(Permission.PLAYERS_ACT)
def add_note(platform_id: str) -> Any:
    player, now = player_of(platform_id), get_services().clock()

    def work() -> str:
        notes.add_note(user_id=player.id, text=_text("text"), by=current_staff().name, now=now)
        return "The note was added"

    return _with_notes(player, "add", work)


@office.post("/players/<platform_id>/notes/<row_id:note_id>/delete")
@needs(Permission.PLAYERS_ACT)
def delete_note(platform_id: str, note_id: int) -> Any:
    player, now = player_of(platform_id), get_services().clock()

    def work() -> str:
        notes.delete_note(user_id=player.id, note_id=note_id, reason=_text("reason"), now=now)
        return "The note was deleted"

    return _with_notes(player, f"delete-{note_id}", work)


def _with_notes(player: User, form: str, work: Callable[[], str]) -> Any:
    return attempt(
        work,
        to=url_for("office.player_notes", platform_id=player.platform_id),
        again=lambda refusal: notes_of(player, sent=form, refusal=refusal),
    )
