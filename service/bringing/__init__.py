"""Tables that are brought from elsewhere: by an address, or by SQL from a database."""
