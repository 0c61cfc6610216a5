"""Commands that are about no order: they move or borrow money, or change portfolios and keys."""
