"""Where docksim begins, as `docksim` and as `python -m docksim`: signals are heard before the commands are imported."""

from docksim.jobs.signals import guarded


def main() -> None:
    guarded(_commands)


def _commands() -> None:
    # many imports, which may be interrupted as well
    from docksim.cli import main as commands

    commands()


if __name__ == "__main__":
    main()
