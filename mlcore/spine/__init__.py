"""What every part of the package stands on: components, fits, methods, their written forms."""
