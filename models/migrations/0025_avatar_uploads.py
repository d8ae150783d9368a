"""Uploads of avatars that are under way, in all processes."""

import peewee

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class User(peewee.Model):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "users"


class AvatarUpload(peewee.Model):
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    until_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "avatar_uploads"
        legacy_table_names = False


def up(migrator, db):
    with db.bind_ctx((User, AvatarUpload)):
        db.create_tables((AvatarUpload,), safe=False)
