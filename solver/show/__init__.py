"""Ways to show a game: the board as text and as JSON."""
