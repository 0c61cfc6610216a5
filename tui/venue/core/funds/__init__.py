"""Money of a user outside trading: fund accounts, networks, transfers, rapid-transfer pools, bills."""
