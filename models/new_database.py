"""The schema of a new database: the tables of the models, with their triggers and first rows."""

import importlib
import pkgutil
import secrets

import models
from models.audit_schema import create_triggers
from models.db.connection import Table, database
from models.leases import Lease
from models.log import BETS, EMPTY_ROOT, Log, LogCheckpoint
from models.prices import MarketSlot, PriceSource

LEASES = ("price refresh", "catalogue", "payout sending", "reconciliation", "alarms", "liabilities")


def all_tables() -> list[type[Table]]:
    """Every table of the models."""
    # A table is known once its module is imported.
    for module in pkgutil.iter_modules(models.__path__, "models."):
        importlib.import_module(module.name)
    return Table.__subclasses__()


def create_schema() -> None:
    """Create everything that an empty database needs. To be used within ``writing()``."""
    database.create_tables(all_tables(), safe=False)
    create_triggers()
    PriceSource.insert_many([{"name": "feed"}, {"name": "market"}]).execute()
    MarketSlot.insert_many([{"slot": slot} for slot in range(20)]).execute()
    Lease.insert_many([{"name": name} for name in LEASES]).execute()
    Log.insert(name=BETS, player_key=secrets.token_hex(32)).execute()
    LogCheckpoint.insert(log=BETS, size=0, root=EMPTY_ROOT, signed_at_ms=0).execute()
