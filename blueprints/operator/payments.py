"""flask payments: record what the payment processor reports."""

import click

from blueprints.api.cli import OperatorGroup, amount, print_json
from blueprints.stats.schemas import PaymentSchema
from server.current_services import get_services
from services.accounts import users
from services.payments import records as payments
from services.payments.records import PaymentType, Transfer
from services.shared.money import Cents

group = OperatorGroup("payments", help="Record deposits and withdrawals.")


@group.command("record")
@click.argument("platformid")
@click.argument("type_", metavar="TYPE", type=click.Choice([type_.value for type_ in PaymentType]))
@click.argument("usd", type=amount)
@click.option("--chain", default="", help="The blockchain or network.")
@click.option("--asset", default="", help="The currency of the transfer.")
@click.option("--amount", default="", help="The amount of the asset, a decimal number; USD by default.")
@click.option("--txhash", default="", help="The id of the transfer, which is recorded only once.")
@click.option("--to", default="", help="The wallet that received it.")
def record(platformid: str, type_: str, usd: Cents, **transfer: str) -> None:
    """Record a payment and move the coins, one for each USD.

    Recording the same txhash, player, type and USD again changes nothing and prints the first payment.
    """
    payment = payments.record(
        user=users.get(platform_id=platformid),
        type_=PaymentType(type_),
        usd=usd,
        transfer=Transfer(**transfer),
        now=get_services().clock(),
    )
    print_json(PaymentSchema().dump(payment))
