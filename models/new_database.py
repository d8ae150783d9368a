"""The schema of a new database: the tables of the models, with their triggers and first rows."""

import importlib
import pkgutil
import secrets

import models
from models.audit_triggers import create_triggers
from models.db.connection import Table, database
from models.leases import Lease
from models.prices import MarketSlot, PriceSource
from models.seed_marks import FIRST_NUMBER, SeedMark

LEASES = ("price refresh", "catalogue", "payout sending", "reconciliation")


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
    SeedMark.insert(number=FIRST_NUMBER, token=secrets.token_hex(16), epoch=1).execute()
