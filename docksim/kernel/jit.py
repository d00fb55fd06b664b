from docksim.native.decorators import kernel, melted, pure  # noqa: F401
