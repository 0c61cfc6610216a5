"""The exchange: matching, money, margin, funding, loans, algo orders, archives."""
