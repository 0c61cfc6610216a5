"""The desk of the pictures: invented rows that hold still, with figures computed by `rules`."""
