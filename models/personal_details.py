"""Players' names, phone numbers and addresses."""

import peewee

from models.db.connection import Table
from models.users import User


class PersonalDetails(Table):
    """A player's details. The row is created with the first detail; the others are empty."""

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
