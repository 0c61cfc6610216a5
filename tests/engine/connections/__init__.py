"""Links that come, go and lie: epochs, reconnects, another tier, clocks, and days on real sockets."""
