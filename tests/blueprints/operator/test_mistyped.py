"""A mistyped command prints one line on standard error and exits with 1."""

import flask.cli

MISTYPED = {
    "an unknown command of a group": ["users", "shwo"],
    "an unknown option": ["seed", "--forse"],
    "an unknown option of a group": ["users", "--nope", "show"],
    "an unknown option of a command of a group": ["users", "show", "--nope"],
    "a missing argument": ["users", "show"],
    "a missing choice": ["users", "exclude", "76561198999999999"],
    "an argument too many": ["users", "show", "1", "2"],
    "a file that is not there": ["items", "import", "nowhere.json"],
    # As Python reads a byte that is not UTF-8.
    "an id that is not text": ["users", "show", "\udcff"],
}


def test_a_mistyped_command_prints_one_line(fails):
    for mistake, arguments in MISTYPED.items():
        said = fails(*arguments)

        assert said.startswith("Error: "), mistake
        assert len(said.splitlines()) == 1, mistake


def test_a_mistyped_command_prints_one_line_in_a_shell_too(app):
    """A shell runs Flask's own group, which finds the commands of the app."""
    for arguments in (["sed"], ["users", "shwo"]):
        result = app.test_cli_runner().invoke(flask.cli.cli, arguments)

        assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1), arguments


COMMANDS_OF_A_PLAYER = [
    *(["users", command, "{}"] for command in ("token", "show", "logout", "suspend", "resume")),
    ["users", "exclude", "{}", "24h"],
    ["payments", "record", "{}", "deposit", "5"],
    ["notifications", "send", "{}", "title", "message"],
    ["two-factor", "reset", "{}"],
]


def test_an_unknown_player_is_not_found(player, fails):
    for command in COMMANDS_OF_A_PLAYER:
        for platform_id in ("76561198999999999", player.username, "", "\u2605"):
            arguments = [argument.format(platform_id) for argument in command]
            assert fails(*arguments) == "Error: User not found", arguments
