"""Trees that part rows by lot until each is alone."""
