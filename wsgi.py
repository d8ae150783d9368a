"""What gunicorn serves. Its configuration has patched the process for gevent before this is imported."""

from gevent import monkey

from app import create_app
from models.postgres import cooperate_with_gevent

if monkey.is_module_patched("socket"):
    cooperate_with_gevent()

app = create_app()
