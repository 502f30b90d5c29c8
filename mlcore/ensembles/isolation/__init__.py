"""Trees that part rows at random until each is alone."""
