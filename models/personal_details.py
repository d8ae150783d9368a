"""Who a player is outside the platform, and where parcels for them go."""

import peewee

from models.database import Table
from models.users import User


class PersonalDetails(Table):
    """One row a player, made when the first detail is given; what was not given is empty."""

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    first_name = peewee.CharField(max_length=120, default="")
    last_name = peewee.CharField(max_length=120, default="")
    phone = peewee.CharField(max_length=16, default="")
    address_line1 = peewee.CharField(max_length=120, default="")
    address_line2 = peewee.CharField(max_length=120, default="")
    city = peewee.CharField(max_length=120, default="")
    zip_code = peewee.CharField(max_length=120, default="")
    state = peewee.CharField(max_length=120, default="")
    country = peewee.CharField(max_length=120, default="")

    class Meta:
        table_name = "personal_details"
