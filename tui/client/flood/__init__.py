"""Reader of a public connection that is behind: only the newest quote of each pair is unpacked and decoded."""
