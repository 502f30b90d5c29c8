"""Tables that are drawn at random; each generator is a source and knows the truth behind it."""
