"""Reading of a public connection that falls behind: only the newest quote of each pair is decompressed and decoded."""
