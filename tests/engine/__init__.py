"""Orders, replies, facts, journal and limits: nothing is sent twice, and nothing ends without a word of the service."""
