"""What data a page works on, and how they come in."""
