"""Money of a user outside of trading: accounts, networks, transfers, rapid pools, bills."""
