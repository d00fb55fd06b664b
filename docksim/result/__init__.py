"""What a run gives: channels, events, metrics, summaries, and the files that hold them."""
