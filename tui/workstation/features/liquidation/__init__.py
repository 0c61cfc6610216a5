"""The screen of liquidations: steps in their order, the course of an event, what it changed."""
