"""The kill prompt: what each of its rows ends, what it leaves, and which positions then have no stop."""
