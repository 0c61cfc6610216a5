"""Reading of a public connection that is behind: of each pair only the newest quote is unpacked and decoded."""
