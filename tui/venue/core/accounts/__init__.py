"""Portfolios: ledger, positions, loans, margin figures and what the risk ladder does."""
