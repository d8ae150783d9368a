"""Forms of signing in. Their rules are in services/staff/; these read what was typed."""

from flask_wtf import FlaskForm
from wtforms import PasswordField, StringField


class SignInForm(FlaskForm):  # type: ignore[misc]  # the library carries no types
    name = StringField("Name", render_kw={"autocomplete": "username", "autocapitalize": "none"})
    password = PasswordField("Password", render_kw={"autocomplete": "current-password"})
    code = StringField("Code", render_kw={"autocomplete": "one-time-code", "inputmode": "numeric"})


class EnrolmentForm(FlaskForm):  # type: ignore[misc]
    password = PasswordField("Password", render_kw={"autocomplete": "new-password"})
    repeated = PasswordField("Password again", render_kw={"autocomplete": "new-password"})
    code = StringField("Code", render_kw={"autocomplete": "one-time-code", "inputmode": "numeric"})
