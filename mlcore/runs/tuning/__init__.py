"""Tuning: settings tried on inner folds, the choice scored on outer folds."""
