"""Equations of one chain written out: straight-line code, and text for people."""
