"""`python -m docksim` is the same as `docksim`."""

from docksim.entry import main

if __name__ == "__main__":
    main()
