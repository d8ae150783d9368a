"""flask payments: what the payment processor reports."""

import click

from blueprints.common.commands import Amount, OperatorGroup, print_json
from blueprints.common.platform import platform
from blueprints.payments.schemas import PaymentSchema
from services import payments, users
from services.money import Cents
from services.payments import PaymentType, Transfer

group = OperatorGroup("payments", help="Deposits and withdrawals.")


@group.command("record")
@click.argument("platformid")
@click.argument("type_", metavar="TYPE", type=click.Choice([type_.value for type_ in PaymentType]))
@click.argument("usd", type=Amount())
@click.option("--chain", default="", help="The network it went over.")
@click.option("--asset", default="", help="The currency it was made in.")
@click.option("--amount", default="", help="How much of the asset, as a decimal number; else the USD.")
@click.option("--txhash", default="", help="The transfer's id: it counts once on the whole platform.")
@click.option("--to", default="", help="The wallet it went to.")
def record(platformid: str, type_: str, usd: Cents, **transfer: str) -> None:
    """Record a payment and move the coins, one for each USD.

    The same txhash, player, type and USD again prints the first payment and changes nothing.
    """
    payment = payments.record(
        user=users.get(platform_id=platformid),
        type_=PaymentType(type_),
        usd=usd,
        transfer=Transfer(**transfer),
        now=platform().clock(),
    )
    print_json(PaymentSchema().dump(payment))
