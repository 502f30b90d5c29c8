"""The tab that predicts new rows: a file, a form or a saved model in, predictions out."""
