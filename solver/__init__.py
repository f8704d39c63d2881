"""Spider Solitaire solver (public names are added as the rooms are built)."""
