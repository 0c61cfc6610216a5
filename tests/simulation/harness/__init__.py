"""Virtual time: loops, memory transports, seams and the trace of one run."""
