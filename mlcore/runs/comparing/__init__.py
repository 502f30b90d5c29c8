"""The methods of a comparison, pair by pair and over several tables."""
