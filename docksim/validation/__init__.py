"""Published cases and populations that docksim is judged by: `docksim validate`.

A row (`row.Row`) says what is published and where, what passes and why, and holds the experiment that answers. The
rows are in files by what they are about, all of them in `registry`. Experiments ask a `bench.Bench` for runs; it keeps
every finished one, so a row is made again from kept runs and nothing that was run is lost. `judge` asks all rows,
`page` writes what came of them.
"""
