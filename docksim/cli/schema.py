"""docksim schema: every key of a file, for editors."""

from __future__ import annotations

import json

import click

from docksim.config.schema import editor


@click.command()
@click.option("--study", "kind", flag_value="study", help="The schema of study files instead.")
@click.option("--chain", "kind", flag_value="chain", help="The schema of chain files instead.")
@click.option("--task", "kind", flag_value="task", help="The schema of tasks of chains instead.")
def schema(kind: str | None) -> None:
    """Print the JSON schema of scenario files, for editors."""
    makers = {
        "study": editor.study_json_schema,
        "chain": editor.chain_json_schema,
        "task": editor.task_json_schema,
    }
    content = makers.get(kind or "", editor.scenario_json_schema)()
    click.echo(json.dumps(content, indent=2, ensure_ascii=False))
