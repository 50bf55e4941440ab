"""Attribute-oriented granulation: the running example, its tables and its genetic algorithm."""
