"""Real processes under real faults: workstation in a pty, venue process, a proxy between them, kills of both sides."""
