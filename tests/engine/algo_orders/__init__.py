"""Algo orders: guards, lost answers, restarts, and their stream against their list."""
