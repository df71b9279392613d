from django.db import models


class Calculation(models.Model):
    expression = models.CharField(max_length=200)
    result = models.CharField(max_length=200)
