"""Virtual time: loops, memory transports, a simulated host and the trace of one run."""
