"""Interfaces of two bodies: gaps and contact forces, latches, hooks and seals of a joint, what pushes it apart."""
