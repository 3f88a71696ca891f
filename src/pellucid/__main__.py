"""`python -m pellucid` is `pellucid`."""

from .cli import main

main()
