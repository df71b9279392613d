import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = os.environ["APP_SECRET"]
DEBUG = False
ALLOWED_HOSTS = ["0.0.0.0", "localhost", "127.0.0.1"]
INSTALLED_APPS = ["myapp"]
MIDDLEWARE = []
ROOT_URLCONF = "mysite.urls"
WSGI_APPLICATION = "mysite.wsgi.application"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "db.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
