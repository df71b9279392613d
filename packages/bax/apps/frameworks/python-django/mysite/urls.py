from django.urls import path

from myapp.views import calculator

urlpatterns = [path("calculator", calculator)]
