"""``python -m solver`` is the command ``spider``."""

from solver.cli import main

if __name__ == "__main__":
    main()
