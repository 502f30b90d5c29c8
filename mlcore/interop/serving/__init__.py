"""A saved model as a service: rows come over HTTP, processes of their own answer."""
