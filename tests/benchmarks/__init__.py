"""The benchmarks run and measure what they say, at a small size."""
