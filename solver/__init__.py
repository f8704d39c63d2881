"""Spider Solitaire solver (public names are added as the rooms are built)."""

__version__ = "0.1.0"
